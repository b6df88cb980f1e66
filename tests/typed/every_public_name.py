"""Every public name, as an editor or a type checker meets it.

pyright checks this file in ``make lint``, and `tests/test_public_names.py` compares it with ``__all__``.
Nobody runs it.
"""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

import pauca
from pauca import (
    EPCVMClassifier,
    InstancePrunedClassifier,
    PrunedEnsembleRegressor,
    RVMRegressor,
    SparseGPClassifier,
    SparseGPRegressor,
    SpikeSlabClassifier,
)
from pauca.datasets import make_ripley, make_sinc


def classify(X: NDArray[np.float64], y: NDArray[np.int_]) -> None:
    machine = SparseGPClassifier(kernel="rbf", gamma="evidence", random_state=0)
    assert_type(machine.fit(X, y), SparseGPClassifier)
    probabilities: np.ndarray = SparseGPClassifier().fit(X, y).predict_proba(X)
    labels: np.ndarray = EPCVMClassifier(inference="ep").fit(X, y).predict(X)
    ranking: np.ndarray = SpikeSlabClassifier().fit(X, y).ranking_
    noise, ignorance = machine.predict_uncertainty(X)
    print(probabilities, labels, ranking, machine.relevance_, machine.score(X, y))
    print(machine.predict_log_proba(X).min(), noise + ignorance, machine.novelty(X).max())
    print(machine.feature_importances_.sum())


def regress(X: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    machine = RVMRegressor().fit(X, y)
    assert_type(machine, RVMRegressor)
    mean, std = machine.predict(X, return_std=True)
    print(machine.predict(X).shape, mean.shape, std.shape, machine.noise_std_)
    process = assert_type(SparseGPRegressor().fit(X, y), SparseGPRegressor)
    mean, cov = process.predict(X, return_cov=True)
    print(process.predict(X).shape, mean.shape, cov.shape, process.sample_y(X).shape)
    noise, ignorance = process.predict_uncertainty(X)
    print(np.hypot(noise, ignorance), process.novelty(X).max(), process.feature_importances_.sum())


def prune(forest: RandomForestClassifier, X: NDArray[np.float64], y: NDArray[np.int_]) -> None:
    pruned = assert_type(PrunedEnsembleRegressor(forest, size=0.2).fit(X, y), PrunedEnsembleRegressor)
    fast = InstancePrunedClassifier(forest, confidence=0.99)
    assert_type(fast.predict(X).shape, tuple[Any, ...])
    labels, queries = fast.predict(X, return_queries=True)
    shares, std = fast.predict_proba(X, return_std=True)
    estimate = pauca.ensemble_size(forest, X, y, confidence=0.98)
    assert_type(estimate, pauca.ensembles.EnsembleSize)
    print(pruned.predict(X).mean(), labels.shape, queries.sum(), shares.argmax(axis=1), std.max())


def keep(path: str) -> None:
    pauca.save(SparseGPClassifier(), path)
    X, y = make_ripley(50, random_state=0)
    assert_type(y, NDArray[np.int_])
    classify(X, y)
    regress(*make_sinc(50, random_state=0))


PACKAGE = (
    pauca.__version__,
    pauca.ARDClassifier,
    pauca.BayesMachineClassifier,
    pauca.datasets,
    pauca.distil,
    pauca.as_published,
    pauca.config_context,
    pauca.ensemble_size,
    pauca.get_config,
    pauca.set_config,
    pauca.EPCVMClassifier,
    pauca.grow_until_stable,
    pauca.AdaptiveForestClassifier,
    pauca.AdaptiveForestRegressor,
    pauca.InstancePrunedBoostingClassifier,
    pauca.InstancePrunedBoostingRegressor,
    pauca.InstancePrunedClassifier,
    pauca.InstancePrunedRegressor,
    pauca.InstancePrunedWeightedClassifier,
    pauca.load,
    pauca.PCVMClassifier,
    pauca.PrunedBoostingClassifier,
    pauca.PrunedBoostingRegressor,
    pauca.PrunedEnsembleClassifier,
    pauca.PrunedEnsembleRegressor,
    pauca.RVMClassifier,
    pauca.RVMRegressor,
    pauca.save,
    pauca.SparseBayesMachineClassifier,
    pauca.SparseGPClassifier,
    pauca.SparseGPOrdinalClassifier,
    pauca.SparseGPRegressor,
    pauca.SpikeSlabClassifier,
    pauca.SpikeSlabRegressor,
    pauca.stability,
    pauca.vote_thresholds,
)

BASIS = (
    pauca.basis.Additive,
    pauca.basis.ArrayBlocks,
    pauca.basis.as_kernel,
    pauca.basis.Basis,
    pauca.basis.CandidatePool,
    pauca.basis.CentredBasis,
    pauca.basis.ColumnMeasure,
    pauca.basis.Cosine,
    pauca.basis.DaskBlocks,
    pauca.basis.drawn,
    pauca.basis.FeatureBasis,
    pauca.basis.FunctionKernel,
    pauca.basis.GivenRows,
    pauca.basis.Gram,
    pauca.basis.HeldBlocks,
    pauca.basis.is_precomputed,
    pauca.basis.Isotropic,
    pauca.basis.Kernel,
    pauca.basis.KernelBasis,
    pauca.basis.KERNELS,
    pauca.basis.KernelWithoutGamma,
    pauca.basis.Laplacian,
    pauca.basis.Linear,
    pauca.basis.MappedBlocks,
    pauca.basis.Matern32,
    pauca.basis.Matern52,
    pauca.basis.multiplied,
    pauca.basis.ParquetBlocks,
    pauca.basis.Polynomial,
    pauca.basis.Precomputed,
    pauca.basis.PrecomputedBasis,
    pauca.basis.Product,
    pauca.basis.RationalQuadratic,
    pauca.basis.RBF,
    pauca.basis.register_kernel,
    pauca.basis.row_blocks,
    pauca.basis.RowBlock,
    pauca.basis.RowBlocks,
    pauca.basis.scale_gamma,
    pauca.basis.Scaled,
    pauca.basis.Sum,
    pauca.basis.symmetric,
    pauca.basis.takes_sparse,
    pauca.basis.unregister_kernel,
    pauca.basis.with_bias,
)

DATASETS = (
    pauca.datasets.available,
    pauca.datasets.Dataset,
    pauca.datasets.DatasetCorrupted,
    pauca.datasets.DatasetNotFound,
    pauca.datasets.GENERATORS,
    pauca.datasets.load,
    pauca.datasets.make_bumpy,
    pauca.datasets.make_circle,
    pauca.datasets.make_friedman1,
    pauca.datasets.make_friedman2,
    pauca.datasets.make_friedman3,
    pauca.datasets.make_overlap,
    pauca.datasets.make_peak,
    pauca.datasets.make_relevance,
    pauca.datasets.make_ringnorm,
    pauca.datasets.make_ripley,
    pauca.datasets.make_sinc,
    pauca.datasets.make_sparse_linear,
    pauca.datasets.make_spiral,
    pauca.datasets.make_threenorm,
    pauca.datasets.make_twonorm,
    pauca.datasets.make_waveform,
    pauca.datasets.ripley_posterior,
    pauca.datasets.sinc_function,
)

ENSEMBLES = (
    pauca.ensembles.BoostedModel,
    pauca.ensembles.read_boosting,
    pauca.ensembles.AdaptiveForestClassifier,
    pauca.ensembles.AdaptiveForestRegressor,
    pauca.ensembles.agreement_probability,
    pauca.ensembles.bias_variance_covariance,
    pauca.ensembles.common_errors,
    pauca.ensembles.Decomposition,
    pauca.ensembles.ensemble_size,
    pauca.ensembles.EnsembleSize,
    pauca.ensembles.error_products,
    pauca.ensembles.evidence_pruning,
    pauca.ensembles.exhaustive_pruning,
    pauca.ensembles.grow_until_stable,
    pauca.ensembles.InstancePrunedBoostingClassifier,
    pauca.ensembles.InstancePrunedBoostingRegressor,
    pauca.ensembles.InstancePrunedClassifier,
    pauca.ensembles.InstancePrunedRegressor,
    pauca.ensembles.InstancePrunedWeightedClassifier,
    pauca.ensembles.ordered_aggregation,
    pauca.ensembles.Ordering,
    pauca.ensembles.PrunedBoostingClassifier,
    pauca.ensembles.PrunedBoostingRegressor,
    pauca.ensembles.PrunedEnsembleClassifier,
    pauca.ensembles.PrunedEnsembleRegressor,
    pauca.ensembles.required_size,
    pauca.ensembles.sdp_pruning,
    pauca.ensembles.SubEnsemble,
    pauca.ensembles.vote_ordering,
    pauca.ensembles.vote_rule,
    pauca.ensembles.vote_thresholds,
    pauca.ensembles.WeightedMembers,
)

EVALUATION = (
    pauca.evaluation.analyse,
    pauca.evaluation.Analysis,
    pauca.evaluation.bayesian_signed_rank,
    pauca.evaluation.Benchmark,
    pauca.evaluation.bonferroni_dunn,
    pauca.evaluation.Bound,
    pauca.evaluation.classification_scores,
    pauca.evaluation.compare,
    pauca.evaluation.compare_with_published,
    pauca.evaluation.compared_ranks,
    pauca.evaluation.Comparison,
    pauca.evaluation.corrected_t,
    pauca.evaluation.COVERAGES,
    pauca.evaluation.critical_difference,
    pauca.evaluation.environment,
    pauca.evaluation.evaluate,
    pauca.evaluation.expected_calibration_error,
    pauca.evaluation.failures,
    pauca.evaluation.five_by_two,
    pauca.evaluation.five_by_two_f,
    pauca.evaluation.friedman,
    pauca.evaluation.HIGHER_IS_BETTER,
    pauca.evaluation.holm,
    pauca.evaluation.innermost,
    pauca.evaluation.interval,
    pauca.evaluation.Job,
    pauca.evaluation.kuncheva_index,
    pauca.evaluation.mean_ranks,
    pauca.evaluation.Measure,
    pauca.evaluation.median_choice,
    pauca.evaluation.n_vectors,
    pauca.evaluation.negative_log_density,
    pauca.evaluation.NEITHER_IS_BETTER,
    pauca.evaluation.nemenyi,
    pauca.evaluation.nemenyi_matrix,
    pauca.evaluation.paired_t,
    pauca.evaluation.PaperTable,
    pauca.evaluation.pooled_calibration,
    pauca.evaluation.rank_table,
    pauca.evaluation.regression_scores,
    pauca.evaluation.repeated_splits,
    pauca.evaluation.reproduce,
    pauca.evaluation.run,
    pauca.evaluation.RunStore,
    pauca.evaluation.Stability,
    pauca.evaluation.stability,
    pauca.evaluation.Target,
    pauca.evaluation.with_verdicts,
    pauca.evaluation.measured_cells,
    pauca.evaluation.read_records,
    pauca.evaluation.records_of,
    pauca.evaluation.summaries_of,
    pauca.evaluation.write_records,
    pauca.evaluation.targets,
    pauca.evaluation.Unit,
    pauca.evaluation.wilcoxon_holm,
    pauca.evaluation.Workers,
)

FITTING = (
    pauca.fitting.BIAS_PRECISION,
    pauca.fitting.choose_kernel,
    pauca.fitting.Fit,
    pauca.fitting.FitProblem,
    pauca.fitting.Fitter,
    pauca.fitting.Limits,
    pauca.fitting.majority_targets,
    pauca.fitting.Model,
    pauca.fitting.one_vs_rest,
    pauca.fitting.Recipe,
    pauca.fitting.SEARCH_ROWS,
    pauca.fitting.RULES,
    pauca.fitting.STARTS,
    pauca.fitting.signs_of,
    pauca.fitting.stacked,
    pauca.fitting.subset_penalty,
    pauca.fitting.training_rows,
    pauca.fitting.TrainingRows,
    pauca.fitting.Trial,
    pauca.fitting.wide_rows,
)

INFERENCE = (
    pauca.inference.Chains,
    pauca.inference.ClassFits,
    pauca.inference.ConfusionFit,
    pauca.inference.column_gradient,
    pauca.inference.confused_latent_ep,
    pauca.inference.DensePrior,
    pauca.inference.DesignPrior,
    pauca.inference.ep,
    pauca.inference.EPPosterior,
    pauca.inference.exact,
    pauca.inference.expanded_at_mean,
    pauca.inference.gaussian_posterior,
    pauca.inference.hmc,
    pauca.inference.joint_ep,
    pauca.inference.joint_latent_ep,
    pauca.inference.laplace,
    pauca.inference.latent_ep,
    pauca.inference.latent_laplace,
    pauca.inference.latent_moments,
    pauca.inference.LatentFit,
    pauca.inference.leave_one_out,
    pauca.inference.Posterior,
    pauca.inference.site_of_cavity,
    pauca.inference.Sites,
    pauca.inference.variational,
    pauca.inference.WarmStart,
)

LIKELIHOODS = (
    pauca.likelihoods.BinaryLikelihood,
    pauca.likelihoods.ContinuousPredictive,
    pauca.likelihoods.CountLikelihood,
    pauca.likelihoods.CumulativeProbit,
    pauca.likelihoods.DiscretePredictive,
    pauca.likelihoods.EXPOSED_COUNT,
    pauca.likelihoods.GammaGaussian,
    pauca.likelihoods.Gaussian,
    pauca.likelihoods.LabelNoise,
    pauca.likelihoods.Likelihood,
    pauca.likelihoods.Logit,
    pauca.likelihoods.MultinomialProbit,
    pauca.likelihoods.NegativeBinomial,
    pauca.likelihoods.NumericLikelihood,
    pauca.likelihoods.Poisson,
    pauca.likelihoods.Predictive,
    pauca.likelihoods.Probit,
    pauca.likelihoods.Softmax,
    pauca.likelihoods.StudentT,
    pauca.likelihoods.UncertainClass,
    pauca.likelihoods.exposed_counts,
)

DISTILLATION = (
    pauca.distillation.distil,
    pauca.distillation.Distillation,
)

EXPORT = (
    pauca.export.c_bytes,
    pauca.export.Blend,
    pauca.export.CannotExport,
    pauca.export.Draws,
    pauca.export.FlatTrees,
    pauca.export.Inputs,
    pauca.export.Latent,
    pauca.export.Link,
    pauca.export.Portable,
    pauca.export.portable_of,
    pauca.export.PortableEnsemble,
    pauca.export.Predictor,
    pauca.export.PriorVariance,
    pauca.export.register_converters,
    pauca.export.Shippable,
    pauca.export.Summary,
    pauca.export.to_c,
    pauca.export.to_onnx,
)

MACHINES = (
    pauca.machines.ARDClassifier,
    pauca.machines.BayesMachineClassifier,
    pauca.machines.EPCVMClassifier,
    pauca.machines.PCVMClassifier,
    pauca.machines.RVMClassifier,
    pauca.machines.RVMRegressor,
    pauca.machines.SparseBayesMachineClassifier,
    pauca.machines.SparseGPClassifier,
    pauca.machines.SparseGPOrdinalClassifier,
    pauca.machines.SparseGPRegressor,
    pauca.machines.SpikeSlabClassifier,
    pauca.machines.SpikeSlabRegressor,
    pauca.machines.as_published,
    pauca.machines.published_machines,
)

NUMERICS = (
    pauca.numerics.Accelerator,
    pauca.numerics.add_to_diagonal,
    pauca.numerics.all_entries,
    pauca.numerics.few_entries,
    pauca.numerics.gauss_hermite,
    pauca.numerics.gaussian_expectation,
    pauca.numerics.half_log_det,
    pauca.numerics.inverse_diagonal,
    pauca.numerics.inverse_mills,
    pauca.numerics.inverse_of_factor,
    pauca.numerics.log_gaussian_expectation,
    pauca.numerics.log_ndtr,
    pauca.numerics.log_ndtr_by_mills,
    pauca.numerics.mills_curvature,
    pauca.numerics.mills_terms,
    pauca.numerics.probit_quantile,
    pauca.numerics.robust_cholesky,
    pauca.numerics.solve_lower,
    pauca.numerics.solve_upper,
    pauca.numerics.solve_with_factor,
    pauca.numerics.squared_lengths_within,
    pauca.numerics.steady_average,
    pauca.numerics.steady_units,
    pauca.numerics.threads_for,
    pauca.numerics.votes,
    pauca.numerics.weighted_normal_equations,
)

PERSISTENCE = (
    pauca.persistence.FORMAT,
    pauca.persistence.load,
    pauca.persistence.read_metadata,
    pauca.persistence.save,
    pauca.persistence.UntrustedModel,
)

PLOTTING = (
    pauca.plotting.CriticalDifferenceDisplay,
    pauca.plotting.DecompositionDisplay,
    pauca.plotting.EffectDisplay,
    pauca.plotting.ErrorCurvesDisplay,
    pauca.plotting.ExpressionDisplay,
    pauca.plotting.FeatureScalesDisplay,
    pauca.plotting.FitDisplay,
    pauca.plotting.InclusionDisplay,
    pauca.plotting.PathDisplay,
    pauca.plotting.PrecisionsDisplay,
    pauca.plotting.QueriesDisplay,
    pauca.plotting.QueryMapDisplay,
    pauca.plotting.RankBoxesDisplay,
    pauca.plotting.ReliabilityDisplay,
    pauca.plotting.RequiredSizesDisplay,
    pauca.plotting.RiskCoverageDisplay,
    pauca.plotting.StabilityDisplay,
    pauca.plotting.SurfaceDisplay,
    pauca.plotting.SuspectsDisplay,
    pauca.plotting.VoteSharesDisplay,
    pauca.plotting.WeightsDisplay,
    pauca.plotting.plot_critical_difference,
    pauca.plotting.plot_decomposition,
    pauca.plotting.plot_effects,
    pauca.plotting.plot_error_curves,
    pauca.plotting.plot_expression,
    pauca.plotting.plot_feature_scales,
    pauca.plotting.plot_fit,
    pauca.plotting.plot_inclusion,
    pauca.plotting.plot_path,
    pauca.plotting.plot_precisions,
    pauca.plotting.plot_queries,
    pauca.plotting.plot_query_map,
    pauca.plotting.plot_rank_boxes,
    pauca.plotting.plot_reliability,
    pauca.plotting.plot_required_sizes,
    pauca.plotting.plot_risk_coverage,
    pauca.plotting.plot_stability,
    pauca.plotting.plot_surface,
    pauca.plotting.plot_suspects,
    pauca.plotting.plot_vote_shares,
    pauca.plotting.plot_weights,
)

PRIORS = (
    pauca.priors.ARD,
    pauca.priors.coupled_inclusion,
    pauca.priors.Gamma,
    pauca.priors.GammaARD,
    pauca.priors.neighbours,
    pauca.priors.Prior,
    pauca.priors.SoftTruncated,
    pauca.priors.SpikeSlab,
    pauca.priors.Truncated,
)

SELECTION = (
    pauca.selection.Actions,
    pauca.selection.active_factors,
    pauca.selection.ActiveFactor,
    pauca.selection.ActiveSet,
    pauca.selection.Barrier,
    pauca.selection.best_precision,
    pauca.selection.candidate_factors,
    pauca.selection.choose_actions,
    pauca.selection.CRITERIA,
    pauca.selection.Criterion,
    pauca.selection.dissimilar,
    pauca.selection.evidence_gain,
    pauca.selection.InducingSearch,
    pauca.selection.log_evidence_term,
    pauca.selection.loo_estimates,
    pauca.selection.LOOEstimates,
    pauca.selection.MAX_ENTERING,
    pauca.selection.novel,
    pauca.selection.Path,
    pauca.selection.PATH_RECORD,
    pauca.selection.select_active_set,
)
