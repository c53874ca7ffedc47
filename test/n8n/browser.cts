// n8n's editor in a real browser: Debian's chromium, driven by playwright-core.

import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
	type Browser,
	chromium,
	type Locator,
	type Page,
	type Request,
	selectors,
} from 'playwright-core';
import { digestOf, marked } from '../../tools/pictures.cts';
import type { Execution } from './client.cts';
import type { N8nInstance } from './instance.cts';
import { PATIENCE_MS, until } from './until.cts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// One process for all pages, which has compiled the editor before: a sixth less to do.
	'--renderer-process-limit=1',
	'--disable-site-isolation-trials',
];

const IMAGES = join(__dirname, '../../docs/images');

/** The visible part of a node on the canvas; its wrapper has no size. */
const NODE_BODY = '[data-canvas-node-render-type]';

const HOME = '/home/workflows';

/** On that page, once its list has come. Before, n8n may go on to show the workflow that was left. */
const LIST = 'resources-list-wrapper';

/** On every page, once the editor has found its way to the first one. */
const MENU = '#side-menu';

/** What n8n puts in front of a new user, by the button that takes it away. */
const INTERRUPTIONS = ['Skip', 'Maybe later', 'Not now', 'Got it', 'Close'];

export interface Editor {
	/** For whatever the helpers below do not do. */
	page: Page;
	/** Shows a page of n8n by its path, as n8n's own links do: the editor is loaded once only. */
	visit(path: string): Promise<void>;
	/** Leaves n8n with all that the editor remembers: the next page loads it anew. */
	leave(): Promise<void>;
	/** Shows a workflow's canvas, with all of its nodes in view. */
	openWorkflow(id: string): Promise<void>;
	/** Opens a node's form. */
	openNode(name: string): Promise<void>;
	/** Goes back from a node's form to the canvas. */
	closeNode(): Promise<void>;
	/** Waits until everything has come that a form loads from the API. */
	formLoaded(): Promise<void>;
	/** Presses 'Execute workflow' and waits until n8n and the editor have seen the end. */
	executeWorkflow(timeoutMs?: number): Promise<Execution>;
	/** Writes a PNG of what the browser shows once nothing on it moves, making its folder. */
	screenshot(path: string): Promise<void>;
	/**
	 * The same for a picture of the documentation, by its name, when `npm run check pictures` makes them. It's of a part of
	 * the page, by default of the open node, and notes its form.
	 */
	picture(name: string, part?: Locator): Promise<void>;
	close(): Promise<void>;
}

/** Tests that only make pictures of the docs: the editor isn't what they test. */
export const pictured: jest.It = ((...args: Parameters<jest.It>) =>
	(process.env.PICTURES ? test : test.skip)(...args)) as jest.It;

const VIEWPORT = { width: 1440, height: 900 };

/** The editor of the n8n for all: the files of a worker share it, since loading it takes ten seconds. */
let shared: Editor | undefined;

/** That n8n, with the client of the file that has the editor now. */
const sharedN8n = {} as EditedN8n;

type EditedN8n = Pick<N8nInstance, 'client' | 'url'>;

/** Opens a browser of 1440 by 900 pixels, signed in to this n8n as its owner. */
export async function openEditor({ url, client }: EditedN8n): Promise<Editor> {
	const isForAll = process.env.SHARED_N8N?.includes(`"${url}"`);
	if (!isForAll) return await newEditor({ url, client });
	Object.assign(sharedN8n, { url, client });
	shared ??= await newEditor(sharedN8n);
	const { page } = shared;
	await page.setViewportSize(VIEWPORT);
	// What a test that failed has left open goes with the page.
	if (await page.getByRole('dialog').first().isVisible()) await shared.leave();
	return { ...shared, close: async () => undefined };
}

async function newEditor(n8n: EditedN8n): Promise<Editor> {
	const { url } = n8n;
	const browser = await launch();
	selectors.setTestIdAttribute('data-test-id');
	const context = await browser.newContext({
		viewport: VIEWPORT,
		ignoreHTTPSErrors: true,
		reducedMotion: 'reduce',
	});
	const { cookie, browserId } = n8n.client.session;
	const [name, value] = cookie.split('=');
	await context.addCookies([{ name, value, url }]);
	await context.addInitScript((id) => localStorage.setItem('n8n-browserId', id), browserId);
	const page = await context.newPage();
	page.setDefaultTimeout(PATIENCE_MS);

	let loading = 0;
	const loads = (request: Request) => request.url().includes('/rest/dynamic-node-parameters/');
	const ended = (request: Request) => (loading -= Number(loads(request)));
	page.on('request', (request) => (loading += Number(loads(request))));
	page.on('requestfinished', ended);
	page.on('requestfailed', ended);

	const isLoaded = () => page.url().startsWith(url);
	const visit = async (path: string) => {
		if (isLoaded()) return await page.evaluate(navigate, path);
		await page.goto(`${url}${path}`);
		await page.locator(MENU).waitFor();
	};

	const screenshot = async (path: string) => {
		await mkdir(dirname(path), { recursive: true });
		await page.waitForFunction(isComplete);
		await page.screenshot({ path, animations: 'disabled' });
	};

	const testId = (id: string) => page.getByTestId(id).first();
	const closeNode = async () => {
		// Not by Escape, which a field that is being typed into takes for itself.
		await testId('ndv-close-button').click();
		await testId('ndv').waitFor({ state: 'hidden' });
	};
	const node = (name: string) =>
		page.locator(`[data-test-id="canvas-node"][data-node-name=${JSON.stringify(name)}]`);
	return {
		page,
		visit,
		leave: async () => {
			await page.goto('about:blank');
		},
		openWorkflow: async (id) => {
			if (isLoaded()) {
				// What is shown after that is nothing of another workflow.
				if (await testId('ndv').isVisible()) await closeNode();
				await visit(HOME);
				await testId(LIST).waitFor();
			}
			await visit(`/workflow/${id}`);
			await page.locator(NODE_BODY).first().waitFor();
			await page.waitForFunction(isConnected);
			await dismissInterruptions(page);
			await page.keyboard.press('1');
		},
		openNode: async (name) => {
			await node(name).locator(NODE_BODY).dblclick();
			await testId('ndv').waitFor();
			await page.waitForFunction(closeNotifications);
		},
		closeNode,
		formLoaded: async () => {
			await until('what the form loads', async () => {
				// One that waits for the answer to another is sent when that has been shown.
				await page.evaluate(async () => await new Promise(requestAnimationFrame));
				return loading === 0 && (await page.getByText('Loading fields').count()) === 0;
			});
		},
		executeWorkflow: async (timeoutMs = PATIENCE_MS) => {
			const [run] = await Promise.all([
				page.waitForResponse(/\/rest\/workflows\/[^/]+\/run/),
				testId('execute-workflow-button').click(),
			]);
			const { data } = (await run.json()) as { data: { executionId: string } };
			const execution = await n8n.client.waitForExecution(data.executionId, timeoutMs);
			await testId('stop-execution-button').waitFor({ state: 'detached' });
			await testId('execute-workflow-button').getByText('Execute workflow').waitFor();
			return execution;
		},
		screenshot,
		picture: async (name, part) => {
			if (!process.env.PICTURES) return;
			await page.waitForFunction(closeNotifications);
			await page.waitForFunction(isComplete);
			const stored = await page.evaluate(openForm);
			const whole = stored ? testId('ndv') : page;
			const png = await (part ?? whole).screenshot({ animations: 'disabled' });
			const digest = stored && digestOf(stored);
			const path = join(IMAGES, `${name}.png`);
			await writeFile(path, digest ? marked(png, `${stored} ${digest}`) : png);
		},
		close: async () => await browser.close(),
	};
}

/** Goes to a path by the editor's own router. Runs in the page. */
const navigate = async (path: string) => {
	const { __vue_app__: app } = document.querySelector('#app') as unknown as VueRoot;
	await app.config.globalProperties.$router.push(path);
};

/**
 * Whether n8n can tell the editor how an execution goes. Without that, its buttons run nothing, and stay busy. Runs in
 * the page.
 */
const isConnected = () => {
	const { __vue_app__: app } = document.querySelector('#app') as unknown as VueRoot;
	return app.config.globalProperties.$pinia._s.get('push')?.isConnected === true;
};

/** Node, resource and operation of the form that is open. None on a page that isn't of the editor. Runs in the page. */
const openForm = () => {
	const root = document.querySelector('#app') as VueRoot | null;
	if (!root) return undefined;
	const stores = [...root.__vue_app__.config.globalProperties.$pinia._s];
	const open = stores.find(([id, { activeNode }]) => id.startsWith('ndv/') && activeNode);
	if (!open) return undefined;
	const node = open[1].activeNode!;
	const { resource, operation } = node.parameters;
	return [node.type.split('.').at(-1), resource, operation].filter(Boolean).join(' ');
};

/** What Vue leaves at the element that it renders into. */
interface VueRoot {
	__vue_app__: {
		config: {
			globalProperties: {
				$router: { push(path: string): Promise<void> };
				/** The stores by their IDs. */
				$pinia: { _s: Map<string, Store> };
			};
		};
	};
}

/** What is read of n8n's stores. */
interface Store {
	isConnected?: boolean;
	activeNode?: { type: string; parameters: Record<string, unknown> } | null;
}

/**
 * Whether nothing fades or slides any more, and every image in view has come: a picture with an icon that's missing fails.
 * What turns for ever, such as a spinner, may. Runs in the page.
 */
const isComplete = () => {
	const isStill = document
		.getAnimations()
		.every(
			({ playState, effect }) =>
				playState !== 'running' || effect?.getComputedTiming().endTime === Infinity,
		);
	// Without inner functions that have a name: the compiler marks these with a helper that the page doesn't have.
	return (
		isStill &&
		Array.from(document.images).every((image) => {
			const { top, bottom, left, right, width } = image.getBoundingClientRect();
			const isInView =
				width > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
			return !isInView || (image.complete && image.naturalWidth > 0);
		})
	);
};

async function launch(): Promise<Browser> {
	await access(CHROMIUM).catch(() => {
		throw new Error(
			`No browser at ${CHROMIUM}: install Debian's package chromium ` +
				'(apt-get install chromium), or set CHROMIUM_PATH to a Chromium or Chrome.',
		);
	});
	return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

async function dismissInterruptions(page: Page): Promise<void> {
	for (const name of INTERRUPTIONS) {
		const button = page.getByRole('dialog').getByRole('button', { name });
		if (await button.first().isVisible()) await button.first().click();
	}
}

/**
 * Takes away the notes in the corner, which hide a part of a form, and tells whether there are none. Runs
 * in the page, since they also go by themselves.
 */
const closeNotifications = () => {
	document
		.querySelectorAll<HTMLElement>('.el-notification__closeBtn')
		.forEach((button) => button.click());
	return document.querySelector('.el-notification') === null;
};
