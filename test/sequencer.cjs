// Long files come first, also where no run has shown yet how long they take: left for the end, one of
// them would run alone. Those of e2e have an n8n of their own and wait for it most of the time.
const Sequencer = require('@jest/test-sequencer').default;

const LONG =
	/\/e2e\/(trigger|polling|missed)[^/]*$|\/(worlds|package|refusals|drawnScenes|runAgain|writtenItems|polling)\.test/;

module.exports = class extends Sequencer {
	sort(tests) {
		const late = ({ path }) => Number(!LONG.test(path));
		return [...super.sort(tests)].sort((one, other) => late(one) - late(other));
	}
};
