// What follows if a field gives nothing: each field of each operation, filled with an expression that finds no value, comes to
// the end that it declares, in a form and from a model.
import { endOf, type End } from '../../tools/emptyFields.cts';
import { table } from '../table/operations.cts';
import {
	formsOf,
	isKey,
	isOffered,
	isOtherChoice,
	isShown,
	outcomeOf,
	placesOf,
	type Outcome,
	type Place,
} from '../table/places.cts';
import { expectNone } from '../none.cts';

const NOTHING = [undefined, null, '', {}, []];

const isEmpty = (wire: unknown) =>
	wire === null || wire === '' || (typeof wire === 'object' && Object.keys(wire).length === 0);

interface Tried {
	outcome: Outcome;
	place: Place;
	value: unknown;
	isOfModel: boolean;
	/** An empty object or list is sent: a value of its field. */
	isAsItIs: boolean;
}

/** What may come of a value, by the end that the field declares. */
const isRight: Record<End, (tried: Tried) => boolean> = {
	required({ outcome: { end }, place: { field }, value, isAsItIs }) {
		const isList = Array.isArray(value) && field.send && field.send.emptyList === true;
		return end === 'refused' || isAsItIs || (isList === true && end === 'sent');
	},

	refused({ outcome: { end }, place: { field, isInRow }, value, isOfModel, isAsItIs }) {
		const { empty, emptyList } = field.send || {};
		if (isOfModel && empty === 'refusedInForm') return isInRow || end !== 'failed';
		return end === 'refused' || (emptyList === true && Array.isArray(value) && isAsItIs);
	},

	clears({ outcome: { end, wire }, place: { field, isInRow }, value, isOfModel }) {
		if (isInRow) return value === '' ? end !== 'refused' : end === 'refused';
		// To remove all entries of a list, it has to be replaced.
		if (field.send && field.send.type === 'list' && end === 'refused') return true;
		const isNull = value === undefined || value === null;
		if (isOfModel) return end !== 'refused';
		return end === 'left out' || (!isNull && end === 'sent' && isEmpty(wire));
	},

	'left out': ({ outcome: { end }, isAsItIs }) => end === 'left out' || isAsItIs,
};

const cases = table
	.filter((entry) => placesOf(entry).length > 0)
	.map((entry) => [entry.title, entry] as const);

let checked = 0;

test.each(cases)('%s: each field that gives nothing comes to its end', (_title, entry) => {
	const wrong: string[] = [];
	for (const place of placesOf(entry)) {
		let tried = 0;
		for (const { form, version } of formsOf(entry)) {
			if (!isShown(entry, place, { form, version }) || isOtherChoice(entry, place, form)) continue;
			for (const isOfModel of [false, true]) {
				for (const value of NOTHING) {
					// Empty text can be a choice.
					if (value === '' && isOffered(place.field)) continue;
					const outcome = outcomeOf(entry, place, form, { value, isOfModel, version });
					const isData = typeof value === 'object' && value !== null;
					const isAsItIs = outcome.end === 'sent' && isData && isEmpty(outcome.wire);
					tried++;
					if (isRight[endOf(place.field)]({ outcome, place, value, isOfModel, isAsItIs })) continue;
					if (outcome.end === 'refused' && isKey(entry, place)) continue;
					wrong.push(
						`${place.road}: ${place.field.displayName} (${endOf(place.field)}), ${isOfModel ? 'model ' : ''}${JSON.stringify(value)}: ${JSON.stringify([outcome.end, outcome.wire])}`,
					);
				}
			}
		}
		if (tried === 0) wrong.push(`${place.field.displayName} is in no form`);
		checked += tried;
	}
	expectNone(
		wrong,
		'The field does something else with an empty value than its `empty` says (docs/contributing/empty-fields.md). Correct one of the two.',
	);
});

test('there are fields of each end, on each road', () => {
	expect(checked).toBeGreaterThan(3000);
	const all = table.flatMap((entry) => placesOf(entry));
	for (const road of ['form', 'JSON', 'columns']) {
		expect(all.filter((place) => place.road === road).length).toBeGreaterThan(5);
	}
	for (const end of ['required', 'refused', 'clears', 'left out']) {
		expect(all.filter(({ field }) => endOf(field) === end).length).toBeGreaterThan(10);
	}
});
