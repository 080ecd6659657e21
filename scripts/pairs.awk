# pairs.awk: rows in which every pair of values of two factors occurs at least once.
#
# Input, one factor a line: NAME VALUE VALUE...; and pairs that cannot go together:
# ! NAME=VALUE NAME=VALUE. Output: a row a line, "NAME=VALUE NAME=VALUE ...", the factors in order.
# The same input gives the same rows. Greedy: each row begins with a pair that is not covered yet,
# then takes for each factor the value that covers most, ties going round.

/^#/ || NF == 0 { next }
$1 == "!" { excluded[$2, $3] = excluded[$3, $2] = 1; next }
{
	factors++
	name[factors] = $1
	count[factors] = NF - 1
	for (i = 2; i <= NF; i++) value[factors, i - 1] = $1 "=" $i
}

function allowed(v, upto,	f) {
	for (f = 1; f <= factors; f++) {
		if (row[f] != "" && (v, row[f]) in excluded) return 0
	}
	return 1
}

# What a value would add to the row.
function gain(v,	f, n) {
	n = 0
	for (f = 1; f <= factors; f++) {
		if (row[f] != "" && (v, row[f]) in open) n++
	}
	return n
}

function choose(f,	i, k, v, g, best, best_gain) {
	best = ""
	best_gain = -1
	for (i = 0; i < count[f]; i++) {
		k = (i + turn[f]) % count[f] + 1
		v = value[f, k]
		if (!allowed(v)) continue
		g = gain(v)
		if (g > best_gain) {
			best_gain = g
			best = v
		}
	}
	turn[f]++
	return best
}

function close_pairs(	f, g, k) {
	for (f = 1; f <= factors; f++) {
		for (g = 1; g <= factors; g++) {
			if (f != g && (row[f], row[g]) in open) {
				delete open[row[f], row[g]]
				if (f < g) left--
			}
		}
	}
}

function print_row(	f, line) {
	line = row[1]
	for (f = 2; f <= factors; f++) line = line " " row[f]
	print line
}

# One row from the pair (a of factor f, b of factor g); 0 when no row can hold it.
function build(f, a, g, b,	h) {
	for (h = 1; h <= factors; h++) row[h] = ""
	row[f] = a
	row[g] = b
	for (h = 1; h <= factors; h++) {
		if (row[h] != "") continue
		row[h] = choose(h)
		if (row[h] == "") return 0
	}
	return 1
}

END {
	for (f = 1; f <= factors; f++) for (g = f + 1; g <= factors; g++)
		for (i = 1; i <= count[f]; i++) for (j = 1; j <= count[g]; j++) {
			a = value[f, i]; b = value[g, j]
			if ((a, b) in excluded) continue
			open[a, b] = open[b, a] = 1
			left++
		}
	for (f = 1; f <= factors; f++) for (g = f + 1; g <= factors; g++)
		for (i = 1; i <= count[f]; i++) for (j = 1; j <= count[g]; j++) {
			a = value[f, i]; b = value[g, j]
			if (!((a, b) in open)) continue
			if (build(f, a, g, b)) {
				print_row()
				close_pairs()
			} else {
				print "pairs: no row can hold " a " and " b >"/dev/stderr"
			}
		}
}
