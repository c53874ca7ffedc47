// Suites that run in several versions or settings of n8n go first. They're among the longest, and where no time is known,
// as in a fresh clone, jest goes by the size of a test's own file.
const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class extends Sequencer {
	sort(tests) {
		const isSuite = ({ path }) => readFileSync(path, 'utf8').includes('Suite.cts');
		const sorted = super.sort(tests);
		return [...sorted.filter(isSuite), ...sorted.filter((test) => !isSuite(test))];
	}
};
