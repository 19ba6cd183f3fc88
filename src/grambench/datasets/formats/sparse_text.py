"""Texts that list the features of an example that are not 0."""

import io
import re
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from grambench.datasets import tables
from grambench.datasets.formats.columns import read_column
from grambench.datasets.formats.reader import FileName, Raw, Reader, read_content
from grambench.datasets.tables import MalformedFileError


class IndicesReader(Reader):
    """Text files with the 1-based indices of the non-zero (one) features, one example per line; stays sparse.

    Attributes
    ----------
    columns : int
        The number of features.
    features, labels : list of str
        Names of files to be stacked; label files have one label per line.
    """

    format: Literal["indices"]
    columns: Annotated[int, Field(ge=1)]
    features: Annotated[list[FileName], Field(min_length=1)]
    labels: Annotated[list[FileName], Field(min_length=1)]

    def read(self, files: dict[str, Path]) -> Raw:
        """Read the rows of a 0-1 matrix from the indices of their ones."""
        from scipy import sparse

        texts = [tables.decoded(read_content(self, files[name])) for name in self.features]
        rows = [cells for text in texts for _, cells in tables.rows(text, " ")]
        indices = tables.to_numbers(index for row in rows for index in row) - 1
        if (indices % 1 != 0).any():
            raise MalformedFileError(["expected whole numbers from 1 in each line, got something else"])
        indptr = np.cumsum([0, *map(len, rows)])
        features = sparse.csr_array(
            (np.ones(len(indices)), indices.astype(np.int64), indptr), (len(rows), self.columns)
        )
        features.check_format()
        return Raw(features, np.concatenate([read_column(self, files[name]) for name in self.labels]))


class Libsvm(Reader):
    """LIBSVM text, made dense.

    Attributes
    ----------
    columns : int
        The number of features.
    """

    stacked: ClassVar[bool] = True

    format: Literal["libsvm"]
    columns: Annotated[int, Field(ge=1)]

    def read(self, files: dict[str, Path]) -> Raw:
        """Read lines of "label index:value ..." with indices from 1."""
        from sklearn.datasets import load_svmlight_file

        (path,) = files.values()
        content = read_content(self, path)
        serials = re.findall(rb"^[^\s#]+[ \t]+0:(\S+)", content, re.MULTILINE)
        if len(serials) > 1 and serials == [b"%d" % number for number in range(1, len(serials) + 1)]:
            raise MalformedFileError(["expected features, got kernel values (0:1, 0:2 ...); use their features"])
        features, labels = load_svmlight_file(io.BytesIO(content), n_features=self.columns, zero_based=False)
        return Raw(features.toarray(), labels)
