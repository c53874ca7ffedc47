// The faults of tools/faults.json, which `npm run check faults` plants.
import { goneFaults } from '../../tools/faults.cts';
import { expectNone } from '../none.cts';

test('each fault can be planted: its text is in its file, once', () => {
	expectNone(
		goneFaults().map(({ file, text }) => `${file}: ${text}`),
		'Give these faults of tools/faults.json the text that now stands in the file, or take them out if nothing is left to break.',
	);
});
