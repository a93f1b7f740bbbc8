package main

// A table quotes one table, or one list, of the study's document.
type table struct {
	name, title string
	// note says what the columns here show.
	note string
	// columns are those of the document. The report prints one table for each.
	columns []string
	rows    []row
	// isOfData says that the rows are about the samples, and not about engines.
	isOfData bool
}

// A row has the document's text for each column.
type row struct {
	name      string
	published []string
	// isAdded says that the document does not have the row.
	isAdded bool
}

// absent stands where the document or this run has no number.
const absent = "–"

// source is what the document says of its own measurements.
const source = "i7-11800H, Go 1.21, tjfoc/gmsm, 100 repetitions, key `" + studyKey + "`, IV `" + studyIV + "`"

// document is everything that the study's document has, in its order. The report prints each row of it.
var document = []table{
	{
		name: "sizes", title: "ECB and CBC",
		note: "Encryption of one text by one thread, the median of the repetitions. KB and MB are 1,000 and 1,000,000 " +
			"bytes, as the published rates have them. MB/s count plaintext.",
		columns: []string{"ECB", "CBC", "ECB MB/s", "CBC MB/s"},
		rows: []row{
			{name: "1 KB", published: []string{"8.2 µs", "9.7 µs", "122", "103"}},
			{name: "1 MB", published: []string{"7.8 ms", "9.3 ms", "128", "107"}},
			{name: "10 MB", published: []string{"78 ms", "94 ms", "127", "106"}},
		},
	},
	{
		name: "samples", title: "Samples of the rule engine",
		note:    "The records of the rounds below, and what this run counted in them.",
		columns: []string{"Plan"},
		rows: []row{
			{name: "seed", published: []string{"42"}},
			{name: "records", published: []string{"1,000"}},
			{name: "boundary records", published: []string{"covered"}},
			{name: "abnormal records", published: []string{"covered"}},
			{name: "typical records", published: []string{"covered"}},
			{name: "random perturbation", published: []string{"under the seed"}},
			{name: "user id", published: []string{"in each record"}},
			{name: "action", published: []string{"in each record"}},
			{name: "timestamp", published: []string{"minutes"}},
			{name: "value", published: []string{"exponential"}},
		},
		isOfData: true,
	},
	{
		name: "rounds", title: "Rounds",
		note: "Each record is encrypted by itself. Sanity compares all modes of the engine with the first engine, and " +
			"decrypts. Pressure encrypts once for warming up, and then with a clock for each record. Archive is what -archive " +
			"writes. Regression compares ciphertexts with those of the baseline, and decrypts them.",
		columns: []string{"Plan"},
		rows: []row{
			{name: "sanity", published: []string{"100: function"}},
			{name: "pressure", published: []string{"1,000: speed and stability"}},
			{name: "archive", published: []string{"the baseline"}},
			{name: "regression", published: []string{"500: same output, compatibility"}},
		},
	},
	{
		name: "score", title: "Score",
		note: "Of the round pressure, relative to the best engine of this run. Response time: the median time of a record. " +
			"Throughput: records a second over the whole round. Error rate: the part of the records that came back right. " +
			"Resources: bytes of a ciphertext and bytes allocated for it.",
		columns: []string{"Weight"},
		rows: []row{
			{name: "response time", published: []string{"40 %"}},
			{name: "throughput", published: []string{"30 %"}},
			{name: "error rate", published: []string{"20 %"}},
			{name: "resources", published: []string{"10 %"}},
			{name: "all", published: []string{absent}, isAdded: true},
		},
	},
	{
		name: "classes", title: "Classes of workload",
		note: "A batch of records, each encrypted by itself by one thread. Light is 100 records, medium 1,000, heavy " +
			"100,000. The document names classes and measures, and no numbers. Memory is what the batch allocates; the " +
			"first pause is the garbage collector's, the second the longest time of one record.",
		columns: []string{"memory", "TPS", "pause time"},
		rows: []row{
			{name: "light", published: []string{absent, absent, absent}},
			{name: "medium", published: []string{absent, absent, absent}},
			{name: "heavy", published: []string{absent, absent, absent}},
		},
	},
	{
		name: "lengths", title: "Compress, then encrypt",
		note: "A text of records is compressed (deflate, level 6) and then encrypted. KB are 1,024 bytes here. The time is " +
			"that of one text by one thread; TPS are texts a second on all cores. Compression leaks lengths: never mix a " +
			"secret and text of a stranger.",
		columns: []string{"time", "TPS"},
		rows: []row{
			{name: "1 KB", published: []string{"12 ms", "850"}},
			{name: "4 KB", published: []string{"23 ms", "780"}},
			{name: "16 KB", published: []string{"68 ms", "420"}},
			{name: "64 KB", published: []string{"210 ms", "150"}},
		},
	},
	{
		name: "goal", title: "Goal: 1,000 concurrent requests",
		note: "A goroutine for each request, all cores. The average is from the start of all requests to the end of each; " +
			"the longest is the last one's. The document does not say what a request is, so there are two lengths.",
		columns: []string{"average", "longest"},
		rows: []row{
			{name: "1,000 requests of 1 KB", published: []string{"under 200 ms", absent}},
			{name: "1,000 requests of 64 KB", published: []string{"under 200 ms", absent}},
		},
	},
	{
		name: "advice", title: "Advice",
		note:    "What this run measured about each piece of advice.",
		columns: []string{"In the study"},
		rows: []row{
			{name: "modes", published: []string{"CBC over ECB where no AEAD is possible"}},
			{name: "streaming", published: []string{"streaming"}},
			{name: "asynchronous", published: []string{"asynchronous path for large data"}},
			{name: "chunks", published: []string{"adaptive chunks"}},
			{name: "compression", published: []string{"compress only what is large and compressible, as an option"}},
		},
	},
	{
		name: "others", title: "Not in the study",
		note:    "The same sizes in the other direction, and in modes that the study does not have.",
		columns: []string{"CBC decryption", "ECB decryption", "CTR", "GCM", "GCM decryption"},
		rows: []row{
			{name: "1 KB", published: []string{absent, absent, absent, absent, absent}, isAdded: true},
			{name: "1 MB", published: []string{absent, absent, absent, absent, absent}, isAdded: true},
			{name: "10 MB", published: []string{absent, absent, absent, absent, absent}, isAdded: true},
		},
	},
}
