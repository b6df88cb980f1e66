"""Blocks of rows: every source has the rows of the array, parts are random, errors say where."""

import pickle
from itertools import pairwise

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from scipy import sparse

from pauca.basis import ArrayBlocks, DaskBlocks, ParquetBlocks, RowBlocks, row_blocks

N_ROWS, N_FEATURES = 1000, 3


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_FEATURES)) * (rng.uniform(size=(N_ROWS, N_FEATURES)) < 0.7)
    return X, rng.normal(size=N_ROWS), rng.uniform(0.5, 2, N_ROWS)


def written(folder, X, y, weights, sizes, name="part"):
    """Parquet files of consecutive rows."""
    starts = np.cumsum([0, *sizes])
    for k, (first, last) in enumerate(pairwise(starts)):
        columns = {f"x{j}": X[first:last, j] for j in range(X.shape[1])}
        table = pyarrow.table({**columns, "y": y[first:last], "w": weights[first:last]})
        parquet.write_table(table, folder / f"{name}-{k}.parquet")
    return folder / f"{name}-*.parquet"


def sources(X, y, weights, folder):
    """All sources of the same rows, by name."""
    import dask.array as da

    memmap = np.memmap(folder / "X.bin", dtype=np.float64, mode="w+", shape=X.shape)
    memmap[:] = X
    pattern = written(folder, X, y, weights, [100, 650, 250])
    chunks = (300, 300, 400)
    dask_parts = (
        da.from_array(X, (chunks, -1)),
        da.from_array(y, (chunks,)),
        da.from_array(weights, (chunks,)),
    )
    return {
        "array": row_blocks(X, y, weights),
        "small blocks": row_blocks(X, y, weights, block_rows=77),
        "memory map": row_blocks(memmap, y, weights, block_rows=128),
        "csr": row_blocks(sparse.csr_matrix(X), y, weights, block_rows=100),
        "coo": row_blocks(sparse.coo_matrix(X), y, weights),
        "parquet": row_blocks(str(pattern), "y", "w", block_rows=64),
        "dask": row_blocks(*dask_parts),
    }


def statistics(block):
    """Sums whose terms differ from row to row."""
    return block.weights.sum(), block.X.T @ (block.weights * block.y), (block.index + 1.0) @ block.X


def test_every_source_has_the_rows_of_the_array(rows, tmp_path):
    X, y, weights = rows
    expected = (weights.sum(), X.T @ (weights * y), (np.arange(N_ROWS) + 1.0) @ X)
    for name, source in sources(*rows, tmp_path).items():
        assert source.n_rows == N_ROWS, name
        assert source.n_features == N_FEATURES, name
        for value, right in zip(source.total(statistics), expected, strict=True):
            np.testing.assert_allclose(value, right, rtol=1e-12, atol=1e-9, err_msg=name)


def test_random_parts_do_not_depend_on_the_source(rows, tmp_path):
    X = rows[0]
    for name, source in sources(*rows, tmp_path).items():
        drawn = source.drawn(50, 3)
        assert len(drawn) == 50, name
        np.testing.assert_array_equal(drawn.X, X[drawn.index], err_msg=name)
        np.testing.assert_array_equal(drawn.index, ArrayBlocks(X).drawn(50, 3).index, err_msg=name)
        part = source.part(0.2, 3).total(statistics)
        np.testing.assert_allclose(
            part[2], ArrayBlocks(*rows).part(0.2, 3).total(statistics)[2], err_msg=name
        )


def test_parts_are_nested_random_and_of_the_right_size():
    source = ArrayBlocks(np.arange(100_000.0)[:, None])
    small, large = (source.part(share, 1).gathered(1, 1).index for share in (0.01, 0.1))
    assert set(small) <= set(large)
    assert abs(len(large) - 10_000) < 5 * np.sqrt(9000)
    # As evenly spread as independent draws: counts in 100 bins have the variance of a binomial distribution.
    counts = np.bincount(large // 1000, minlength=100)
    assert 50 < counts.var() < 150
    assert source.part(1, 1) is source


def test_draws_of_a_part_are_those_of_the_whole():
    source = ArrayBlocks(np.arange(10_000.0)[:, None])
    np.testing.assert_array_equal(source.part(0.5, 2).drawn(30, 2).index, source.drawn(30, 2).index)
    other = source.drawn(30, 3).index
    assert set(other) != set(source.drawn(30, 2).index)


def test_a_transformation_reaches_every_block(rows):
    from dataclasses import replace

    source = ArrayBlocks(*rows, block_rows=90).mapped(lambda block: replace(block, X=block.X + 1))
    np.testing.assert_allclose(source.total(lambda block: block.X.sum(axis=0)), (rows[0] + 1).sum(axis=0))
    np.testing.assert_array_equal(source.drawn(10, 0).X, ArrayBlocks(*rows).drawn(10, 0).X + 1)
    np.testing.assert_allclose(source.part(0.5, 0).gathered(1, 0).X.min(), source.gathered(0.5, 0).X.min())


def test_files_are_read_in_the_order_of_their_names(rows, tmp_path):
    written(tmp_path, *rows, [400, 600])
    files = sorted(tmp_path.glob("*.parquet"))
    for paths in (files, files[::-1], tmp_path, [str(tmp_path / "*.parquet")]):
        source = ParquetBlocks(paths, "y", weight="w")
        assert source.files == files
        assert source.feature_names == ["x0", "x1", "x2"]
    assert ParquetBlocks(files, "y", columns=["x2"]).n_features == 1


def test_text_targets_and_integers(tmp_path):
    table = pyarrow.table({"a": [1, 2, 3], "b": [True, False, True], "y": ["no", "yes", "no"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    (block,) = row_blocks(tmp_path / "t.parquet", "y").blocks()
    np.testing.assert_array_equal(block.X, [[1, 1], [2, 0], [3, 1]])
    assert block.y.tolist() == ["no", "yes", "no"]
    assert block.place(2) == f"row 2 of {tmp_path / 't.parquet'}"


def test_missing_numbers_are_nan_and_missing_targets_are_named(tmp_path):
    table = pyarrow.table({"a": [1.0, None, 3.0], "y": [1, 0, None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    (block,) = row_blocks(tmp_path / "t.parquet").blocks()
    assert np.isnan(block.X[1, 0])
    with pytest.raises(ValueError, match=r"y is missing in row 2 of .*t\.parquet"):
        list(row_blocks(tmp_path / "t.parquet", "y").blocks())


def test_a_truncated_file_is_named(rows, tmp_path):
    written(tmp_path, *rows, [500, 500])
    file = tmp_path / "part-1.parquet"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"part-1\.parquet cannot be read .*truncated"):
        ParquetBlocks(tmp_path, "y")


def test_a_file_that_is_damaged_in_the_middle_is_named(rows, tmp_path):
    written(tmp_path, *rows, [500, 500])
    source = ParquetBlocks(tmp_path, "y")
    file = tmp_path / "part-1.parquet"
    content = bytearray(file.read_bytes())
    content[4:400] = b"\0" * 396
    file.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"part-1\.parquet cannot be read to its end"):
        list(source.blocks())


def test_other_columns_in_one_file_are_named(rows, tmp_path):
    written(tmp_path, *rows, [500, 500])
    parquet.write_table(pyarrow.table({"x0": [1.0], "y": [1.0], "w": [1.0]}), tmp_path / "part-2.parquet")
    with pytest.raises(ValueError, match=r"part-2\.parquet has no column 'x1'"):
        ParquetBlocks(tmp_path, "y", weight="w")
    changed = pyarrow.table({"x0": ["a"], "x1": [1.0], "x2": [1.0], "y": [1.0], "w": [1.0]})
    parquet.write_table(changed, tmp_path / "part-2.parquet")
    with pytest.raises(ValueError, match=r"column 'x0' has the type string in .*part-2\.parquet and double"):
        ParquetBlocks(tmp_path, "y", weight="w")


def test_tables_without_rows_columns_or_files_are_refused(tmp_path):
    empty = pyarrow.table(
        {"a": pyarrow.array([], pyarrow.float64()), "y": pyarrow.array([], pyarrow.float64())}
    )
    parquet.write_table(empty, tmp_path / "e.parquet")
    with pytest.raises(ValueError, match="has no rows"):
        ParquetBlocks(tmp_path / "e.parquet", "y")
    with pytest.raises(ValueError, match="has no rows"):
        ArrayBlocks(np.empty((0, 2))).total(len)
    with pytest.raises(ValueError, match=r"names no Parquet file"):
        ParquetBlocks(str(tmp_path / "none-*.parquet"))
    with pytest.raises(ValueError, match="does not exist"):
        ParquetBlocks(tmp_path / "none.parquet")
    parquet.write_table(pyarrow.table({"y": [1.0]}), tmp_path / "y.parquet")
    with pytest.raises(ValueError, match="no column of features"):
        ParquetBlocks(tmp_path / "y.parquet", "y")
    parquet.write_table(pyarrow.table({"a": ["u"], "y": [1.0]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"column 'a' .* is no number; encode it or leave it out"):
        ParquetBlocks(tmp_path / "t.parquet", "y")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones(3),), "X must be two-dimensional"),
        ((np.ones((3, 2)), np.ones(2)), "y must have one entry for each of the 3 rows"),
        ((np.ones((3, 2)), np.ones(3), np.ones(4)), "sample_weight must have one entry"),
        (("file.parquet", np.ones(3)), "y must be the name of a column"),
        ((ArrayBlocks(np.ones((3, 2))), np.ones(3)), "y and sample_weight belong to the blocks"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        row_blocks(*arguments)


def test_dask_collections_that_do_not_fit_together_are_refused():
    import dask.array as da

    X, y = da.ones((10, 2), chunks=(5, 2)), da.ones(10, chunks=10)
    with pytest.raises(ValueError, match="y has 1 partitions, X has 2"):
        DaskBlocks(X, y)
    with pytest.raises(ValueError, match="several chunks of features"):
        DaskBlocks(da.ones((10, 2), chunks=(5, 1)))
    with pytest.raises(ValueError, match="y must be a Dask collection"):
        DaskBlocks(X, np.ones(10))
    with pytest.raises(ValueError, match=r"y has 4 rows in partition 1 of X, X has 5"):
        DaskBlocks(X, da.ones(9, chunks=((5, 4),))).total(len)
    with pytest.raises(ValueError, match="no rows"):
        DaskBlocks(da.ones((0, 2), chunks=(1, 2))).total(len)


def test_data_frames_of_dask_have_names_and_unknown_lengths(rows):
    import dask.dataframe as dd
    import pandas as pd

    X, y, _ = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    table = dd.from_pandas(frame, npartitions=7)
    source = DaskBlocks(table, dd.from_pandas(pd.Series(y), npartitions=7))
    assert source.feature_names == ["a", "b", "c"]
    assert source.n_rows == N_ROWS
    np.testing.assert_allclose(source.total(lambda block: block.X.T @ block.y), X.T @ y)
    assert [len(block) for block in source.blocks()] == source.counts


def test_blocks_travel_to_other_processes(rows):
    source = pickle.loads(pickle.dumps(ArrayBlocks(*rows)))
    assert isinstance(source, RowBlocks)
    np.testing.assert_array_equal(source.drawn(5, 0).X, ArrayBlocks(*rows).drawn(5, 0).X)
