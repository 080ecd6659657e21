pooldump --version && pooldump --help
