poolcheck --explain space-leak
poolcheck --explain no-such-code
