package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The study's seed.
const seed = 42

// A record is one sample: fields of a service's log, as text. Abnormal records have text that the service would refuse.
type record struct {
	user, action, minute, value string
	// class is the class of the rule that made the record.
	class class
}

// A class says what a rule's records try.
type class string

const (
	typical  class = "typical"
	boundary class = "boundary"
	abnormal class = "abnormal"
)

// A rule changes a typical record into a record of its class.
type rule struct {
	class class
	// percent of all records.
	percent int
	change  func(*record)
}

// rules are the rules of the engine. Their percents add up to 100.
var rules = []rule{
	{typical, 80, func(*record) {}},

	{boundary, 2, func(r *record) { r.user, r.value = "0", "0.00" }},
	{boundary, 2, func(r *record) { r.user, r.value = "4294967295", "9007199254740991.00" }},
	{boundary, 2, func(r *record) { r.action = "" }},
	// The text fills whole blocks, so padding is a whole block more.
	{boundary, 2, func(r *record) { r.action += strings.Repeat("x", -len(r.text())&(blockSize-1)) }},
	// One byte is missing for that, so padding is one byte.
	{boundary, 2, func(r *record) { r.action += strings.Repeat("x", -(len(r.text())+1)&(blockSize-1)) }},

	{abnormal, 2, func(r *record) { r.user = "" }},
	{abnormal, 2, func(r *record) { r.value = "-" + r.value }},
	{abnormal, 2, func(r *record) { r.minute, r.value = "yesterday", "NaN" }},
	{abnormal, 2, func(r *record) { r.action = "\x00\xff\r\"," + r.action }},
	{abnormal, 2, func(r *record) { r.action = strings.Repeat(r.action, 400) }},
}

var actions = []string{"login", "logout", "view", "search", "order", "pay", "refund", "export"}

// A ruleEngine makes records. The same seed makes the same records, in any process and on any machine.
type ruleEngine struct {
	random *rand.Rand
	minute time.Time
}

// newRuleEngine begins with the first record of a seed.
func newRuleEngine(seed uint64) *ruleEngine {
	return &ruleEngine{rand.New(rand.NewPCG(seed, 0)), time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// next makes one record: a typical one, with a perturbed value, which a rule by chance then changes. The next record is one
// minute later.
func (e *ruleEngine) next() record {
	chosen := e.random.IntN(100)
	// Two decimals, so that the last bit of a logarithm does not matter.
	value := 100 * e.random.ExpFloat64()
	perturbation := 0.95 + 0.1*e.random.Float64()
	r := record{
		user:   fmt.Sprint(1 + e.random.IntN(1_000_000)),
		action: actions[e.random.IntN(len(actions))],
		minute: e.minute.Format("2006-01-02T15:04Z"),
		value:  fmt.Sprintf("%.2f", value*perturbation),
	}
	e.minute = e.minute.Add(time.Minute)
	for _, rule := range rules {
		if chosen -= rule.percent; chosen < 0 {
			rule.change(&r)
			r.class = rule.class
			break
		}
	}
	return r
}

// text is the record as a line of values with commas, without the line's end.
func (r record) text() string {
	return r.user + "," + r.action + "," + r.minute + "," + r.value
}

// makeSamples makes the first records under the study's seed, as plaintexts with room for padding.
func makeSamples(count int) [][]byte {
	e := newRuleEngine(seed)
	samples := make([][]byte, count)
	for i := range samples {
		samples[i] = newSample([]byte(e.next().text()))
	}
	return samples
}

// makeText makes a plaintext of some length from records under the study's seed, each on a line.
func makeText(length int) []byte {
	e := newRuleEngine(seed)
	text := newBuffer(length)[:0]
	for len(text) < length {
		line := e.next().text() + "\n"
		text = append(text, line[:min(len(line), length-len(text))]...)
	}
	return text
}
