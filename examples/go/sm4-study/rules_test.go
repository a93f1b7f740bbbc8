package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestTheSameSeedMakesTheSameRecords(t *testing.T) {
	one, other := newRuleEngine(seed), newRuleEngine(seed)
	for i := range 10_000 {
		if first, second := one.next(), other.next(); first != second {
			t.Fatalf("record %d: %q and %q", i, first.text(), second.text())
		}
	}
}

func TestAnotherSeedMakesOtherRecords(t *testing.T) {
	one, other := newRuleEngine(seed), newRuleEngine(seed+1)
	same := 0
	for range 1_000 {
		if one.next().text() == other.next().text() {
			same++
		}
	}
	if same > 10 {
		t.Errorf("%d of 1,000 records are the same", same)
	}
}

// The digests of the baseline are those of ciphertexts, so they hold only if each record is the same on each machine.
func TestTheSamplesAreThoseOfTheArchivedBaseline(t *testing.T) {
	archived, err := readBaseline("")
	if err != nil {
		t.Fatal(err)
	}
	made, err := newBaseline(studyPlan)
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Outputs) != len(archived.Outputs) {
		t.Fatalf("%d outputs, and %d in the baseline", len(made.Outputs), len(archived.Outputs))
	}
	for i, output := range made.Outputs {
		if output != archived.Outputs[i] {
			t.Errorf("%+v, and in the baseline %+v", output, archived.Outputs[i])
		}
	}
	if archived.CPU != "" || archived.Mode != "" || len(archived.Medians) > 0 {
		t.Error("the example's own baseline has times of some machine")
	}
}

func TestFewerSamplesAreTheFirstOfMore(t *testing.T) {
	few, more := makeSamples(100), makeSamples(1_000)
	for i := range few {
		if !bytes.Equal(few[i], more[i]) {
			t.Fatalf("record %d differs", i)
		}
	}
}

func TestThePercentsOfTheRulesAddUpTo100(t *testing.T) {
	sum := 0
	for _, rule := range rules {
		sum += rule.percent
	}
	if sum != 100 {
		t.Error(sum)
	}
}

func TestAThousandRecordsCoverEachClass(t *testing.T) {
	e := newRuleEngine(seed)
	classes := map[class]int{}
	for range studyPlan.pressure {
		classes[e.next().class]++
	}
	if len(classes) != 3 || classes[typical] < 700 || classes[boundary] < 50 || classes[abnormal] < 50 {
		t.Error(classes)
	}
}

func TestBoundaryRecordsReachBothBoundsOfPadding(t *testing.T) {
	e := newRuleEngine(seed)
	lengths := map[int]int{}
	for range studyPlan.pressure {
		if r := e.next(); r.class == boundary && strings.Contains(r.action, "x") {
			lengths[len(r.text())%blockSize]++
		}
	}
	if lengths[0] == 0 || lengths[blockSize-1] == 0 {
		t.Error(lengths)
	}
}

func TestATypicalRecordHasAUserAnActionAMinuteAndAValue(t *testing.T) {
	e := newRuleEngine(seed)
	start := e.minute
	sum, records := 0.0, 0
	for i := range 10_000 {
		r := e.next()
		if r.class != typical {
			continue
		}
		if minute, err := time.Parse("2006-01-02T15:04Z", r.minute); err != nil || !minute.Equal(start.Add(time.Duration(i)*time.Minute)) {
			t.Fatalf("record %d has the minute %s", i, r.minute)
		}
		user, err := strconv.Atoi(r.user)
		if err != nil || user < 1 || user > 1_000_000 || r.action == "" {
			t.Fatalf("record %d is %q", i, r.text())
		}
		value, err := strconv.ParseFloat(r.value, 64)
		if err != nil || value < 0 {
			t.Fatalf("record %d is %q", i, r.text())
		}
		sum += value
		records++
	}
	// The mean of an exponential distribution is that of the rule, 100. The seed is fixed, so chance has no part.
	if mean := sum / float64(records); mean < 95 || mean > 105 {
		t.Error(mean)
	}
}

func TestATextHasItsLength(t *testing.T) {
	for _, length := range []int{0, 1, 50, 1_000, 100_000} {
		if text := makeText(length); len(text) != length || cap(text) < length+blockSize {
			t.Errorf("%d bytes, with room for %d", len(text), cap(text))
		}
	}
}
