// Runs the operations of all action nodes: input items in, output items out.
import {
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IPairedItemData,
	type ISupplyDataFunctions,
} from 'n8n-workflow';

import { nearestFirst } from '../base/nearest';
import { isUnset, recordOf } from '../base/data';
import { openApi } from '../client/door';
import { secretsOfNode } from '../client/http/credential';
import { nodeError } from '../client/http/errors';
import type { Secrets } from '../client/http/redact';
import {
	hasLimitFields,
	isOfAmounts,
	takesKey,
	type Operation,
	type Resource,
} from '../form/operation';
import { clientOptionsOf, outputFieldsOf } from '../form/options';
import { failsInDoubt, keyIn } from '../form/safety';
import { AllItems } from '../run/allItems';
import { takeCancelled } from '../run/cancelled';
import { Changes } from '../run/changes';
import { Claim } from '../run/claim';
import { changingFields } from '../run/changingFields';
import { totalText } from '../run/decimal';
import { Idempotency } from '../run/idempotency';
import { groupsOf } from '../run/groups';
import { foundText } from '../run/listItems';
import { isKept, Ledger } from '../run/ledger';
import { leftOut } from '../run/leftOut';
import type { Budget } from '../run/budget';
import { nameIn } from '../run/prepare';
import { SafetyLimits } from '../run/safetyLimits';
import { checkTool } from '../run/sameForAll';
import type { Session, Writing } from '../run/session';
import { Tally } from '../run/tally';
import { hintsOf, tell } from '../run/told';
import { ValueStore } from '../run/valueStore';
import { formFields } from './description';

/** Items of a slice that are about to be sent when it's recorded how far a run is: one after the other, and side by side. */
const SLICES = { serial: 25, parallel: 100 };

/** Max hints. More would fill the panel. */
const HINTS = 3;

/** Tells what Dry Run held back. Empty if that's nothing. */
function dryRunHint({ writing, operation, door, tally }: Session): string[] {
	const held = writing?.held ?? [];
	const why = door.connection.dryRun?.isManual ? ' (manual execution)' : '';
	if (operation.compares && !tally.isEmpty) {
		return [`Dry run${why}, nothing was sent: "${operation.action}". ${tally.text(true)}.`];
	}
	if (held.length === 0) return [];
	return [
		`Dry run${why}, nothing was sent: "${operation.action}" for ${totalText(held)}. The API has checked nothing, such as ${operation.unchecked ?? 'IDs, duplicates or plans'}.`,
	];
}

/** Adds the hints of a run to its output. Those in `emptied` are about fields that gave nothing. */
function showHints(
	context: IExecuteFunctions,
	session: Session,
	{ summary, emptied }: { summary: string; emptied: string[] },
): void {
	const { operation, door, isTool, output, writing, warnings, found } = session;
	const unseen = output?.unseen ?? [];
	const all = [
		...(door.connection.isDry ? dryRunHint(session) : []),
		...(summary === '' ? [] : [summary]),
		...(writing ? takeCancelled(writing.ledger.place) : []),
		...(writing ? hintsOf(writing.ledger) : []),
		...emptied,
		...warnings,
	];
	// Without a key, a person who runs the workflow again pays again.
	const isByHand = context.getMode() === 'manual' && !isTool;
	const mayPayAgain = isByHand && isOfAmounts(operation.measure) && !writing?.keys;
	if (mayPayAgain && writing && writing.ledger.told().done.length > 0) {
		all.push(
			`If you run this again, "${operation.action}" is sent again. An Idempotency Key prevents that.`,
		);
	}
	if (unseen.length > 0) all.push(`Output Fields: no item has ${unseen.join(', ')}.`);
	if (found.length > 0) all.push(foundText(found));
	if (all.length > 0) addHints(context, all, door.secrets);
}

/** Adds hints to the output. The last one joins all that are beyond the max. */
function addHints(context: IExecuteFunctions, all: string[], secrets: Secrets): void {
	const rest = all.slice(HINTS - 1).join(' ');
	for (const message of [...all.slice(0, HINTS - 1), rest]) {
		if (message === '') continue;
		const shown = secrets.hide(message);
		context.addExecutionHints({ message: shown, type: 'warning', location: 'outputPane' });
	}
}

/** The value of 'Custom API Call', which n8n adds to the dropdowns. */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

/** n8n adds this suffix to the type of a node that is used as a tool. */
const TOOL = 'Tool';

/** The operation that is chosen in the form. Throws for one that the node lacks, and for fields of a tool (`checkTool`). */
function chosenOperation(
	context: IExecuteFunctions,
	operations: Map<string, Operation>,
): Operation {
	const resource = context.getNodeParameter('resource', 0);
	// n8n drops the operation of an unknown resource.
	const chosen = context.getNodeParameter('operation', 0, '');
	const operation = operations.get(`${resource}.${chosen}`);
	if (operation) {
		if (context.getNode().type.endsWith(TOOL)) checkTool(context, formFields(operation));
		return operation;
	}
	// n8n offers this choice and runs the node with it.
	const isCustom = [resource, chosen].includes(CUSTOM_API_CALL);
	const [first] = operations.values();
	const { version } = first.endpoint.api.package;
	const wanted = [resource, chosen].filter((each) => each !== '').join('.');
	throw new NodeOperationError(
		context.getNode(),
		isCustom
			? "This node doesn't support custom API calls. Choose an operation. With Dry Run off, the HTTP Request node can use this credential, too."
			: `This node doesn't have the operation "${wanted}" (resource.operation). It has: ${nearestFirst(wanted, [...operations.keys()]).join(', ')}. If yours is newer than version ${version} of this package, update the package.`,
	);
}

/**
 * Opens the API and reads what all items share: options, limits (by default the Safety Limits of the form) and keys. Throws
 * FieldFault for what can't be used in the form or the credential, and the errors of `openWriting`.
 */
async function openSession(
	context: IExecuteFunctions,
	operation: Operation,
	limits: Budget | undefined,
	ledger: Ledger | undefined,
): Promise<Session> {
	const options = recordOf(context.getNodeParameter('options', 0, {}));
	const output = outputFieldsOf(operation, options);
	const settings = clientOptionsOf(context, operation);
	const door = await openApi(operation.endpoint.api, context, settings);
	const items = context.getInputData();
	const isTool = context.getNode().type.endsWith(TOOL);
	const groups = items.length > 1 ? groupsOf(context, operation) : undefined;
	const session: Session = {
		operation,
		door,
		isForTable: context.getNode().typeVersion > 1 && !isTool,
		isTool,
		options,
		output,
		constants: items.length > 1 ? new Map() : undefined,
		warnings: new Set(),
		read: new Set(),
		found: [],
		tally: new Tally(),
		limits:
			limits ?? SafetyLimits.of(context, operation, (index) => nameIn(context, session, index)),
		// A model reads of each doubt, and goes on.
		failsInDoubt: !isTool && failsInDoubt(operation, options, context.getNode().typeVersion),
		size: items.length,
		indexes: groups ? groups.map(([first]) => first) : [...items.keys()],
		groups: groups && new Map(groups.map((group) => [group[0], group])),
	};
	if (operation.remembers) {
		const { id } = context.getNode().credentials?.[operation.endpoint.api.credential.type] ?? {};
		door.remember(new ValueStore(context, `${id} ${door.host}`, door.connection.isDry));
	}
	if (ledger) session.writing = openWriting(context, session, ledger);
	// Items share the lists that they read. Writes can change a list, so they need a new read each time.
	else if (items.length > 1) {
		door.shareLists();
		session.rowsInOutput = new WeakSet();
	}
	return session;
}

const OTHER_OPERATION =
	'The execution before this one has sent items with another operation, so nothing was sent. Choose the operation that it had, or run the items that did not go through in a new execution.';

/**
 * Opens a run of writes: keys, changes and claim. In n8n's Retry it takes items out of doubt that a Release Key names.
 * @throws Error if the ledger is of another operation, FieldFault for more items than Keys to Remember
 */
function openWriting(context: IExecuteFunctions, session: Session, ledger: Ledger): Writing {
	const { operation, door, isTool, options, limits } = session;
	if (ledger.isOfOtherOperation) throw new Error(OTHER_OPERATION);
	const takes = takesKey(operation);
	// As it stands in the form, before its expression is evaluated: here only matters if there is one.
	const raw = (name: string): unknown =>
		context.getNodeParameter(name, 0, '', { rawExpressions: true });
	const key = takes ? keyIn(raw) : '';
	const writing: Writing = { ledger, held: [] };
	if (!isUnset(key)) writing.keys = Idempotency.of(context, session);
	// A dry run may be repeated.
	if (door.connection.isDry) return writing;
	const onceOnly = limits?.onceOnly;
	if (isTool || onceOnly !== undefined) {
		writing.changes = new Changes(context, operation, onceOnly === true, options);
	}
	if (takes && isKept(context)) {
		// The form of a toolkit has no Release Key.
		const isReleasable = onceOnly === undefined;
		const isSerial = door.parallel.max === 1;
		writing.claim = new Claim(context, ledger, {
			key: writing.keys && key,
			keyPlace: writing.keys?.place,
			options,
			isReleasable,
			slice: SLICES[isSerial ? 'serial' : 'parallel'],
			goesOn: context.continueOnFail(),
			addsUp: limits?.addsUp === true,
			changing: () => changingFields(context, operation),
		});
		if (context.getMode() === 'retry') writing.claim.applyRelease();
	}
	return writing;
}

/** The `execute` of an action node. Output is in the order of input. A failed item ends the run, or comes out as an error. */
export function executeOf(resources: Resource[]) {
	const operations = new Map<string, Operation>();
	for (const { value, operations: all } of resources)
		for (const each of all) operations.set(`${value}.${each.value}`, each);
	return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const run = execute(this, () => chosenOperation(this, operations));
		return await run.catch((error: Error) => errorAsResult(this, error));
	};
}

/**
 * LangChain swallows an error of a tool that an agent calls itself, as AI Agent does up to 2.x. The model would read an empty
 * text and may take it for success, so it gets the error as a result. An MCP client
 * sees errors: behind its trigger, an execution has no ID (`isKept`).
 */
function errorAsResult(context: IExecuteFunctions, error: Error): INodeExecutionData[][] {
	const isSwallowed = context.isToolExecution() && isKept(context);
	// n8n tries again only after an error.
	if (!isSwallowed || context.getNode().retryOnFail === true) throw error;
	if (context.getExecutionCancelSignal()?.aborted) throw error;
	return [[{ json: { error: error.message } }]];
}

/** The `execute` of a tool with one operation. */
export async function executeTool(
	this: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][]> {
	const run = execute(this, () => {
		checkTool(this, formFields(operation));
		return operation;
	});
	return await run.catch((error: Error) => errorAsResult(this, error));
}

/**
 * Runs an operation once, with given values in place of a form, and throws its error whatever the node has as On Error. Only
 * the request settings are those of the node. A write has to pass the `limits`.
 */
export async function runOperation(
	context: IExecuteFunctions | ISupplyDataFunctions,
	operation: Operation,
	values: Record<string, unknown>,
	limits?: Budget,
): Promise<INodeExecutionData[][]> {
	const given = { requests: context.getNodeParameter('requests', 0, {}), ...values };
	const parameter = (name: string, _item: number, fallback?: unknown): unknown =>
		Object.hasOwn(given, name) ? given[name as keyof typeof given] : fallback;
	const items: INodeExecutionData[] = [{ json: {} }];
	// The context of the node, but with another form and one empty item.
	const call = Object.create(context, {
		getNodeParameter: { value: parameter },
		getInputData: { value: () => items },
		continueOnFail: { value: () => false },
	}) as IExecuteFunctions;
	return await execute(call, () => operation, limits);
}

/** Runs the operation that `choose` returns for all input items. If it can't begin, all items fail with one error. */
async function execute(
	context: IExecuteFunctions,
	choose: () => Operation,
	limits?: Budget,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	if (items.length === 0) return [[]];
	let ledger: Ledger | undefined;
	let session: Session;
	try {
		const operation = choose();
		const isTool = limits !== undefined || context.getNode().type.endsWith(TOOL);
		if (!operation.endpoint.onlyReads) ledger = new Ledger(context, operation, isTool);
		session = await openSession(context, operation, limits, ledger);
	} catch (thrown) {
		const secrets = await secretsOfNode(context);
		const error = nodeError(thrown, { node: context.getNode(), secrets });
		if (context.continueOnFail()) {
			const output = items.flatMap((_item, index) => leftOut(ledger, index, error));
			addHints(context, ledger ? hintsOf(ledger) : [], secrets);
			return [output];
		}
		if (ledger) tell(ledger, error);
		throw error;
	}
	const run = new AllItems(context, session);
	const output = await run.run();
	const { groups } = session;
	// One request was sent for several input items.
	if (groups) {
		for (const each of output) {
			const { item: first = 0 } = each.pairedItem as IPairedItemData;
			each.pairedItem = groups.get(first)?.map((item) => ({ item }));
		}
	}
	const isSummed =
		session.isForTable && hasLimitFields(session.operation) && session.writing !== undefined;
	const { emptyFields, read, door } = session;
	const emptied = emptyFields?.hints(read).map((each) => door.secrets.hide(each)) ?? [];
	showHints(context, session, { summary: isSummed ? run.summary : '', emptied });
	if (session.isTool && emptied.length > 0) {
		// A model sees no hints.
		output.push({ json: { note: emptied.join(' ') }, pairedItem: { item: 0 } });
	}
	return [output];
}
