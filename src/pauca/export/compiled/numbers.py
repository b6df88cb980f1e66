"""Constants of the integrals over latent values, shared by compiled functions and C."""

# Standard score below which log Ψ is its asymptotic series; numerical guard.
FAR = -30.0
# Standard deviations beyond which a normal distribution is zero or one; numerical guard.
REACH = 8.0
# Step of the sum over latent values, in units of the narrowest spread of the integrand: the error of the sum
# is then about 10⁻¹².
STEP = 0.8
# Log probability in nats below which the integral of a class is not taken, and it gets the probability of
# beating the most probable class alone.
NEGLIGIBLE = -25.0
# Largest exponent of a rate: its square is finite.
LARGEST_EXPONENT = 350.0
