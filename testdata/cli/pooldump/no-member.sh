pooldump config
