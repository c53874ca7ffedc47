// What a person does in the editor: adds nodes from the creator, fills a form, drags a value into it,
// executes, publishes.
import type { Editor } from './browser.cts';
import { until } from './until.cts';

export type Locator = ReturnType<Editor['page']['getByTestId']>;

export function personAt(editor: Editor) {
	const { page } = editor;
	const byId = (id: string): Locator => page.getByTestId(id).first();
	const names = page.getByTestId('node-creator-item-name');

	/** The node creator, searched. */
	const creator = async (search: string): Promise<Locator> => {
		if (!(await byId('node-creator-search-bar').isVisible())) {
			await byId('node-creator-plus-button').click();
		}
		await byId('node-creator-search-bar').fill(search);
		return names;
	};

	const field = (name: string): Locator => byId(`parameter-input-${name}`);

	/** Types into a field and goes on to the next one, which is when n8n takes the text. */
	const fill = async (into: Locator, text: string): Promise<void> => {
		await into.locator('input, textarea').first().fill(text);
		// A text with {{ }} becomes an expression, in whose editor Tab would indent the line.
		if (text.includes('{{')) await byId('tab-params').click();
		else await page.keyboard.press('Tab');
	};

	const option = async (name: string): Promise<void> => {
		await page
			.getByRole('option')
			.filter({ hasText: new RegExp(`^\\s*${name}`) })
			.first()
			.click();
	};

	return {
		byId,
		creator,
		field,

		newWorkflow: async () => {
			// The creator stays open, and its workflow may stay on the canvas.
			await editor.leave();
			await editor.visit('/workflow/new');
			await byId('canvas-plus-button').waitFor();
		},

		/** Adds a node, or one of its actions, to the canvas. */
		add: async (search: string, ...chosen: string[]) => {
			await creator(search);
			for (const name of chosen) await names.getByText(name, { exact: true }).click();
		},

		/** Chooses an entry of a picker of the form. */
		choose: async (picker: string, name: string) => {
			await byId(picker).click();
			await option(name);
		},

		/** Opens the list of a locator and searches in it. */
		searchIn: async (locator: string, text: string): Promise<Locator> => {
			await byId(`resource-locator-${locator}`).getByTestId('rlc-input').click();
			await page.getByTestId('rlc-item').first().waitFor();
			if (text !== '') await byId('rlc-search').fill(text);
			return page.getByTestId('rlc-item').filter({ hasText: text });
		},

		type: async (name: string, text: string) => await fill(field(name), text),

		/** Chooses By ID in a locator, and types the ID. */
		typeId: async (locator: string, id: string) => {
			const whole = byId(`resource-locator-${locator}`);
			await whole.getByTestId('rlc-mode-selector').click();
			// Those of other locators are hidden, so the role finds one only.
			await page.getByRole('option', { name: 'By ID' }).click();
			await whole.locator('input:not([readonly])').first().fill(id);
			await page.keyboard.press('Tab');
		},

		fill,

		/** Adds a field of the form's first collection. */
		addField: async (name: string) => {
			await byId('collection-parameter-add').click();
			await option(name);
		},

		/** Drags a field of the input, previewed or there, to a field of the form. */
		drag: async (value: string, to: Locator) => {
			const found = byId('ndv-input-panel')
				.getByTestId('run-data-schema-node-name')
				.getByText(value, { exact: true });
			// n8n keeps rows that it doesn't show outside of the window.
			const shown = await until(`${value} in the input`, async () => {
				const index = await found.evaluateAll((all) =>
					all.findIndex((each) => each.getBoundingClientRect().y > 0),
				);
				return index >= 0 && found.nth(index);
			});
			await shown.hover();
			await page.mouse.down();
			const { x, y, width, height } = (await to.boundingBox())!;
			await page.mouse.move(x + width / 2, y + height / 2, { steps: 10 });
			await page.mouse.up();
			await until('the expression', async () => (await to.innerText()).includes('{{'));
			// Its result lies over the fields below.
			await byId('tab-params').click();
		},

		executeStep: async () => {
			await byId('node-execute-button').click();
			await byId('node-run-status-success').waitFor();
		},

		publish: async () => {
			await byId('workflow-open-publish-modal-button').click();
			await byId('workflow-publish-button').click();
			await page.getByRole('button', { name: 'Got it' }).click();
		},

		unpublish: async () => {
			await byId('version-menu-button').click();
			await byId('version-menu-item-unpublish').click();
			const dialog = byId('workflow-history-version-unpublish-modal');
			await dialog.getByRole('button', { name: 'Unpublish' }).click();
			await dialog.waitFor({ state: 'hidden' });
		},
	};
}
