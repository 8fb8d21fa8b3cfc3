# SPDX-License-Identifier: GPL-2.0-or-later
# Of the TAP of run for one kernel, called `label`, a line of its matrix: label, files of which a test ran, all files, tests
# passed, failed and skipped, and "REASON (TIMES)" for each reason of a skip, those that are frequent first, separated by
# tabs and "; ".

/^(not )?ok / {
	text = $0
	sub(/^(not )?ok [0-9]* - vm /, "", text)
	text = substr(text, length(label) + 3)
	file = text
	sub(/[: ].*/, "", file)
	files[file] = files[file]
	if (match(text, /# SKIP /)) {
		skipped++
		reason = substr(text, RSTART + RLENGTH)
		if (!(reason in times))
			order[++reasons] = reason
		times[reason]++
	} else if (/^not/) {
		failed++
		files[file] = 1
	} else {
		passed++
		files[file] = 1
	}
}

END {
	for (file in files) {
		all++
		ran += files[file]
	}
	# few: by insertion
	for (i = 2; i <= reasons; i++)
		for (j = i; j > 1 && times[order[j]] > times[order[j - 1]]; j--) {
			reason = order[j]
			order[j] = order[j - 1]
			order[j - 1] = reason
		}
	for (i = 1; i <= reasons; i++)
		why = why (i > 1 ? "; " : "") order[i] " (" times[order[i]] ")"
	printf "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", label, ran, all, passed, failed, skipped, why
}
