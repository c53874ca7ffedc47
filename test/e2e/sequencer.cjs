// Files with an n8n of their own wait for its starts and pauses most of the time. They come first, so
// that the others run beside them; else the longest would be left for the end, and run alone.
const Sequencer = require('@jest/test-sequencer').default;

const OWN_N8N = /\/(trigger|polling|missed)[^/]*$/;

module.exports = class extends Sequencer {
	sort(tests) {
		const late = ({ path }) => Number(!OWN_N8N.test(path));
		return [...super.sort(tests)].sort((one, other) => late(one) - late(other));
	}
};
