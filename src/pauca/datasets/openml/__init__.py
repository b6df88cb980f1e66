"""Download of datasets from OpenML: the registry, the transfer, the ARFF reader and the encoding."""
