// The examples as they lie on n8n's canvas, and what their notes promise.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfAmounts, takesKey } from '../../dist/nodes/engine/form/operation.js';
import { keyIn } from '../../dist/nodes/engine/form/safety.js';
import { removedIn3 } from '../n8n/removedIn3.cts';
import { table as operations } from '../table/operations.cts';
import type { IConnections, INode, IPinData } from 'n8n-workflow';

interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
	pinData: IPinData;
}

const FOLDER = join(__dirname, '../../examples');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

/** Width and height of a node. */
const NODE = 96;

interface Box {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

const overlap = (one: Box, other: Box) =>
	one.left < other.right &&
	other.left < one.right &&
	one.top < other.bottom &&
	other.top < one.bottom;

const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';
const isTrigger = ({ type }: INode) => /(Trigger|\.webhook)$/.test(type);

const boxOf = (node: INode): Box => {
	const [left, top] = node.position;
	const [width, height] = isNote(node)
		? [Number(node.parameters.width), Number(node.parameters.height)]
		: [NODE, NODE];
	return { left, top, right: left + width, bottom: top + height };
};

/** The room that a wire takes between two nodes, as n8n draws it. */
function wireBetween(from: INode, to: INode): Box {
	const [start, end] = [boxOf(from), boxOf(to)];
	const middles = [start.top + NODE / 2, end.top + NODE / 2];
	return {
		left: Math.min(start.right, end.left),
		right: Math.max(start.right, end.left),
		top: Math.min(...middles),
		bottom: Math.max(...middles) + 1,
	};
}

describe.each(files)('%s', (file) => {
	const { nodes, connections, pinData } = JSON.parse(
		readFileSync(join(FOLDER, file), 'utf8'),
	) as Example;
	const notes = nodes.filter(isNote);
	const others = nodes.filter((node) => !isNote(node));
	const text = notes.map(({ parameters }) => String(parameters.content)).join('\n');

	test('uses nothing that n8n 3.0 removes', () => {
		expect(removedIn3(nodes)).toEqual([]);
	});

	test('has money in nodes that know Fail While in Doubt', () => {
		const old = others.filter(({ type, typeVersion, parameters }) => {
			const entry = operations.find(
				({ node, resource, operation }) =>
					type.endsWith(`.${node}`) &&
					resource.value === parameters.resource &&
					operation.value === parameters.operation,
			);
			const isMoney = entry && takesKey(entry.operation) && isOfAmounts(entry.operation.measure);
			return isMoney && typeVersion < 1.1;
		});
		expect(old.map(({ name }) => name)).toEqual([]);
	});

	test('has no node and no wire over another node or the text', () => {
		const find = (name: string) => nodes.find((node) => node.name === name)!;
		const wires = Object.entries(connections).flatMap(([from, outputs]) =>
			Object.entries(outputs)
				.flatMap(([type, targets]) => (type === 'main' ? targets : []))
				.flatMap((targets) => targets ?? [])
				.map(({ node }) => ({
					what: `${from} -> ${node}`,
					box: wireBetween(find(from), find(node)),
				})),
		);
		const covered = notes.flatMap((note) =>
			[...others.map((node) => ({ what: node.name, box: boxOf(node) })), ...wires]
				.filter(({ box }) => overlap(box, boxOf(note)))
				.map(({ what }) => what),
		);
		expect(covered).toEqual([]);
		const stacked = others.filter((node) =>
			others.some((other) => other !== node && overlap(boxOf(node), boxOf(other))),
		);
		expect(stacked.map(({ name }) => name)).toEqual([]);
	});

	const [trigger] = others.filter(isTrigger);

	if (!trigger.type.endsWith('manualTrigger')) {
		test('says when it has to be published, and how it can be executed', () => {
			expect(text).toMatch(/Publish this workflow/);
			const isChat = trigger.type.endsWith('.chatTrigger');
			expect(text).toMatch(isChat ? /\*Open chat\*/ : /\*Execute workflow\*/);
		});
	}

	test('has a sample where nothing can be executed without', () => {
		const needsOne = /(platformCustomersTrigger|\.webhook)$/.test(trigger.type);
		expect(Object.keys(pinData)).toEqual(needsOne ? [trigger.name] : []);
	});
});

describe('nodes that move money, send email or start something', () => {
	const careful = operations.filter(
		({ operation }) => takesKey(operation) && operation.sequential === true,
	);
	const all = files.flatMap((file) => {
		const { nodes } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Example;
		return nodes
			.filter(({ type, parameters }) =>
				careful.some(
					({ node, resource, operation }) =>
						type.replace(/Tool$/, '').endsWith(`.${node}`) &&
						resource.value === parameters.resource &&
						operation.value === parameters.operation,
				),
			)
			.map((node) => [file, node.name, node.parameters] as const);
	});

	test('there are some', () => expect(all.length).toBeGreaterThan(7));

	test.each(all)('%s, %s: it has a key and limits', (_file, _name, parameters) => {
		expect(keyIn((name) => parameters[name])).toMatch(/^=.*\{\{/);
		expect(Object.keys(parameters.safetyLimits ?? {})).not.toEqual([]);
	});
});

test.each([
	['Function', 'n8n-nodes-base.function', 1, {}],
	['LangChain Code', '@n8n/n8n-nodes-langchain.code', 1, {}],
	['AI Agent 1.7', '@n8n/n8n-nodes-langchain.agent', 1.7, {}],
	['Run once for each item', 'n8n-nodes-base.executeWorkflow', 1.2, { mode: 'each' }],
	['$getPairedItem', 'n8n-nodes-base.set', 3.4, { value: '={{ $getPairedItem("Start") }}' }],
])('%s is known to be removed in n8n 3.0', (name, type, typeVersion, parameters) => {
	const node = { id: name, name, type, typeVersion, parameters, position: [0, 0] } as INode;
	expect(removedIn3([node])).toEqual([name]);
});

/** Why an example isn't played over a year. Each is run in a real n8n all the same. */
const notOverAYear: Record<string, number[]> = {
	'only reads': [13, 14],
	'only answers a chat': [12, 15, 27],
	'a client or model decides what is done, and where it charges, a person approves it': [
		16, 17, 25, 26,
	],
	'publishes workflows of a real n8n': [22],
};

test('each example that writes, mails or reports is played over a year', () => {
	const folder = join(__dirname, '../execution/year');
	const tests = readdirSync(folder).filter((file) => file.endsWith('.test.cts'));
	const played = tests.flatMap((file) =>
		[...readFileSync(join(folder, file), 'utf8').matchAll(/file: '(\S+\.json)'/g)].map(
			([, name]) => name,
		),
	);
	const others = Object.values(notOverAYear).flat();
	const numbers = [...played.map((name) => Number.parseInt(name, 10)), ...others];
	expect(played.filter((name) => !files.includes(name))).toEqual([]);
	expect(numbers.sort((one, other) => one - other)).toEqual(
		files.map((name) => Number.parseInt(name, 10)),
	);
});
