"""What was found for each file of published tables, in plain words, for the summary of the results."""

_TEXTS = {
    "bayes_machines": """
        The circle with wrong labels is reproduced: error and the share of wrong labels found agree. Crabs,
        which was far off in earlier runs, was a matter of data: with the seventh attribute, and the species
        to be predicted instead of the sex, all three machines agree with the thesis. The Gaussian process is
        one by expectation propagation, as in the thesis. On Sonar, Threenorm and Twonorm all methods are 1
        to 4 points off together; no cause but other random splits was found. The digits here have 14 by 14
        pixels, those of the thesis 28 by 28, on whose distances its grid of widths is centred; which images
        it drew is not said. Bayes machines agree on most pairs nevertheless, the support vector machine,
        tuned on the thesis's grids, has more errors on some.
    """,
    "bias_variance": """
        Variances and covariances are reproduced: bagging leaves the bias and removes the variance, random
        splits lower the covariance from 4.0 to 1.0. Errors of the tree and of bagging agree, too, since they
        are measured against targets without noise: the printed errors are sums of squared bias and variance,
        which leave no room for it. Squared biases are 0.3 to 0.5 higher than printed, and with them the error
        of the forest; no cause was found. The paper has one study of 100 training sets.
    """,
    "ensemble_size": """
        One run stands behind each measured cell, and one run gives no verdict. The sizes that were measured
        lie on both sides of the printed medians.
    """,
    "epcvm": """
        These are the machines of this library as they are, by their own choice of parameters. Nothing
        printed stands beside them; epcvm-median has the printed machines.
    """,
    "epcvm_median": """
        Two details that the paper does not state were found by repeating it. Its linear and quadratic
        discriminants have equal prior probabilities, and the areas under the curve of these two and of kNN
        are those of their labels: with both, errors and areas agree to a few hundredths on most sets, and
        without them they are off by up to six points. Banana remains impossible: a linear boundary has 45 %
        on these data, not 24 %. The vector machines agree or are better for SVM, RVM and SMLR on the sets
        that were measured. EPCVM and EPCVM-EP have about one point more errors than printed on heart and
        breast cancer, and on thyroid the one by EP has two. On heart and thyroid that is the choice of
        the width on five partitions: other widths of the grid have the printed error on the test rows of the
        same partitions. On breast cancer no width has it. All machines keep fewer vectors than printed,
        the support vector machine included, which in the paper keeps nearly all rows of heart and diabetis:
        the widths chosen there must be narrower than any that the stated rule gives on our partitions.
        Tried without closing the gap: the truncated evidence with the sign counted (four times as many
        vectors, the error as before), and the narrowest instead of the widest of equally good widths (a few
        vectors more). The splits of the paper are not available. The areas under the curve of EPCVM on
        breast cancer are two to three points below the printed ones by all engines, so that the machine is
        not the cause. Hamiltonian Monte Carlo takes 5 to 9 seconds a fit (printed: 670 to 910), expectation
        propagation 0.03 to 0.04 (3 to 360); errors of the three agree with one another, as in the paper.
    """,
    "instance_pruning": """
        The number of trees asked and the speed-up agree on most sets for both kinds of ensembles. Bagged
        trees were not pruned as in the thesis in earlier runs: it cites the CART book, whose trees are
        pruned by their misclassified rows, up to one standard error above the best constant of ten folds.
        Pruned so, no error is worse than printed and one better (they were up to four points lower before),
        and of the 28 numbers of trees and speed-ups that differed eight do, by 15 % at most. On the
        microarray of 22 patients the error of forests depends on which class is told from the others, which
        the thesis does not say. Errors on Liver are 2 points higher than printed for the complete forest,
        too, so that the forest or the splits differ and not the asking of trees; those on Threenorm are as
        printed with two features at a split instead of four.
    """,
    "microarrays": """
        Twelve of the fifteen sets are measured. The diagonal discriminant, 32 % on Colon against the
        printed 16 % in earlier runs, and the shrunken centroids, 23 % against 14 %, were a matter of
        preparation: the thesis prepares its sets as Guyon et al. and Dettling & Bühlmann did, who bring
        every array to mean zero and variance one. With this step both agree on nearly all sets, and with it
        the diagonal discriminant is bad on Prostate only (38 %), exactly as printed. Breast ER is 7 points
        worse for the diagonal discriminant alone: that set is here without the thesis's logarithms.
    """,
    "pcvm": """
        The tables of this paper are lost but for counts in the text: SVM-soft wins two and loses seven of
        thirteen sets against PCVM by error, SVM-hard wins one and loses eight, the relevance vector machine
        never wins. The protocol can be run; it has no cells to agree with. Three sets are measured:
        SVM-soft does not differ from PCVM by error on any.
    """,
    "predictive_ard": """
        Leukaemia agrees for both machines. On Colon the predictive choice makes about 2.0 errors of 12
        against the printed 1.63, over 100 splits. Tried: raw intensities, logarithms, arrays standardised
        (1.9, 2.1 and 2.1 on the same 16 splits), an oracle that knows the best number of features (it does
        not reach 1.63 on these splits), and peers (an SVM has 1.8). The splits of the paper must differ.
    """,
    "pruning": """
        Ordered aggregation and SDP pruning agree with the thesis or are better on regression; Peak is worse
        already for the single network, on 4 splits. The thesis prunes no ensembles of classifiers in this
        way, so that nothing is printed for them. On Servo, the set of figure 3.2, SDP finds nearly always
        the best sub-ensemble, the order all but one or two of its members.
    """,
    "variational_rvm": """
        Errors agree for all machines. The relevance vector machine of the paper is older than the search
        from the constant term, with which the error on sinc was worse than printed (0.057 instead of 0.049,
        5 kernels instead of 7): with all columns at once it is 0.054 and agrees. The best width on the test
        rows of each draw would have 0.045. The variational machine starts from all columns, too. Its number
        of kernels depends on what counts as zero: the paper's absolute threshold, 1e-3, has the
        units of columns whose scale is not stated, and leaves 17 to 170 of our columns; weights of at least
        1 % of the largest are 7 on sinc (printed 7.4), 6 on Ripley's mixture (4) and 4 on Pima (4). On
        Ripley's mixture the paper has one draw of 100 rows; over many draws the errors of both relevance
        vector machines vary by 1.1 points from draw to draw, so that the printed 9.2 and 9.3 % are no
        contradiction; even the best width on the test rows of each draw, a lookup that no rule can have,
        gives 9.9 % on average over 15 draws. On Pima the relevance vector machine has 70 errors of 332 (67
        with the search from the constant term, 66 to 77 over all widths of the grid), where 65 are printed:
        one split, which gives no verdict, and a difference below a standard error (7).
    """,
}
_DIGITS = (
    "the images, probably: 14 by 14 pixels here, 28 by 28 in the thesis, whose grid of widths fits those; "
    "nor does the thesis say which images it drew"
)
_BREAST = (
    "no width reaches the printed values on our partitions: the best of 17, looked up on the test rows of "
    "20 partitions, has 28.2 % errors and an area of 70.2, so that the partitions must differ"
)
_FIRST_FIVE = (
    "the choice of the width on the first five partitions: width 5 is chosen, from width 6 on the error "
    "is 16.1 to 16.9 %"
)
_NEIGHBOURS = (
    "the choice on the first five partitions: {chosen} neighbours are chosen, {better} have {error} % on "
    "the same 100 partitions"
)
_EP = (
    "no width closes it: over twelve partitions the best of twelve widths, looked up on the test rows, "
    "has 24.1 %; Laplace's method agrees on the same rows"
)
_EP_THYROID = (
    "the choice of the width on the first five partitions: width 4.5 is chosen, width 1.3 has 5.9 % "
    "(standard error 0.5)"
)
_STRAIGHT = "a linear or quadratic boundary cannot have the printed error on the set as it is distributed"
_PATIENTS = (
    "the thesis does not say which class is told from the others: forests have 36 % for BRCA1, taken "
    "here, and 28 % for BRCA2"
)
_FEATURES = (
    "the number of features at a split, which the thesis does not state: four here, and with two the "
    "complete forest has 17.5 %"
)
# Why cells are worse than printed, by table, dataset and method; an empty method stands for all.
CAUSES = {
    ("bias-variance", "toy", ""): (
        "none found: squared biases are 0.3 to 0.5 higher than printed for all trees; noise in the test "
        "targets, as the thesis describes it, would add one more"
    ),
    **{("bayes-digits", f"{digit} vs 9", ""): _DIGITS for digit in range(9)},
    ("bayes-machines", "sonar", ""): (
        "none found but the partitions: all machines are 1 to 4 points worse together, the Gaussian "
        "process too"
    ),
    ("epcvm-median", "thyroid", "EPCVM-EP"): _EP_THYROID,
    ("epcvm-engines", "thyroid", ""): _EP_THYROID,
    ("epcvm-median", "german", "kNN"): (
        "the choice on the first five partitions: 8 neighbours are chosen; odd numbers up to 5 have areas of "
        "62 to 63 on twelve partitions"
    ),
    ("epcvm-median", "titanic", "kNN"): (
        "the choice on the first five partitions: 2 neighbours are chosen; numbers above 3 have areas of 65 "
        "to 69 on five partitions, most of them 68"
    ),
    ("epcvm-median", "breast-cancer", "kNN"): _NEIGHBOURS.format(
        chosen=5, better="8 to 20", error="26.5 to 27.9"
    ),
    ("epcvm-median", "breast-cancer", ""): _BREAST,
    ("epcvm-engines", "breast-cancer", ""): _BREAST,
    ("epcvm-median", "heart", "kNN"): _NEIGHBOURS.format(chosen=7, better="17", error="16.8"),
    ("epcvm-median", "heart", ""): _FIRST_FIVE,
    ("epcvm-engines", "heart", ""): _FIRST_FIVE,
    ("epcvm-median", "diabetis", "EPCVM-EP"): _EP,
    ("epcvm-engines", "diabetis", "EP"): _EP,
    ("epcvm-median", "waveform", ""): (
        "none found, 0.2 to 0.3 points; with equal prior probabilities, as everywhere"
    ),
    ("epcvm-median", "banana", ""): _STRAIGHT,
    ("microarrays", "brain_a", "RFE"): (
        "the protocol: half of the features are removed at a time, and five folds of 28 rows choose how "
        "many stay"
    ),
    ("microarrays", "west", "DLDA"): (
        "the set comes standardised, without the intensities from which the thesis selects genes and "
        "takes logarithms"
    ),
    ("microarrays", "west_nodal", "RF"): (
        "the set comes standardised, without the intensities from which the thesis selects genes and "
        "takes logarithms"
    ),
    (
        "pruning-regression",
        "peak",
        "network",
    ): "four splits; the network is tuned over 3 x 4 values, not 3 x 10",
    ("votes-forest", "hedenfalk", ""): _PATIENTS,
    ("votes-forest", "liver", ""): (
        "none found: with one, two, three or five features at a split the complete forest has 30.2 to "
        "31.1 % over 30 splits, so that the splits must differ"
    ),
    ("votes-forest", "threenorm", ""): _FEATURES,
}
FINDINGS = {name: " ".join(text.split()) for name, text in _TEXTS.items()}
