pooldump pools nowhere.img
