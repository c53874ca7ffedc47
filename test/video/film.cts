// A film of a page: what the browser shows whenever it changes, put together by Debian's ffmpeg.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Editor } from '../n8n/browser.cts';
import { runProgram } from '../n8n/program.cts';

/** How long a film shows what doesn't change: nobody watches a machine that waits. */
const LONGEST_S = 1.5;

type Page = Editor['page'];

const FAST_VP8 = '-c:v libvpx -deadline realtime -cpu-used 8 -crf 30 -b:v 1M'.split(' ');

const FEW_COLORS = 'split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none';

interface Frame {
	file: string;
	/** When the browser showed it, in seconds. */
	at: number;
	/** How long the film shows it, in place of the time until the next one. */
	seconds?: number;
}

export interface Film {
	/** Shows what the page shows for some seconds, without waiting. */
	hold(seconds: number): Promise<void>;
	/** Shows a card with a headline and a text. */
	card(title: string, text: string): Promise<void>;
	/** Marks the place that the next frame has. */
	mark(): number;
	/** Writes a WebM of all frames. */
	webm(path: string): Promise<void>;
	/** Writes a small GIF, twice as fast, of the frames between two marks. */
	gif(path: string, from: number, to: number): Promise<void>;
	close(): Promise<void>;
}

const cardOf = (title: string, text: string) => `<body style="margin:0;height:100vh;display:flex;
	flex-direction:column;justify-content:center;align-items:center;font-family:sans-serif;background:#1f2430;
	color:#fff"><h1 style="font-size:56px;margin:0 0 24px">${title}</h1><p style="font-size:28px">${text}</p></body>`;

export async function filmOf(page: Page): Promise<Film> {
	const folder = await mkdtemp(join(tmpdir(), 'film-'));
	const frames: Frame[] = [];
	const add = async (image: Buffer, at: number, seconds?: number) => {
		const file = join(folder, `${frames.length}.jpg`);
		frames.push({ file, at, seconds });
		await writeFile(file, image);
	};
	const still = async (of: Page, seconds: number) =>
		await add(await of.screenshot({ type: 'jpeg', quality: 80 }), Date.now() / 1000, seconds);

	const session = await page.context().newCDPSession(page);
	session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
		void add(Buffer.from(data, 'base64'), metadata.timestamp ?? Date.now() / 1000);
		void session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
	});
	await session.send('Page.startScreencast', { format: 'jpeg', quality: 80 });

	/** A list for ffmpeg of the frames, each with its time. */
	const listOf = async (chosen: Frame[]): Promise<string> => {
		const lines = chosen.map(({ file, at, seconds }, index) => {
			const next = chosen[index + 1]?.at ?? at + LONGEST_S;
			return `file '${file}'\nduration ${seconds ?? Math.max(0.04, Math.min(next - at, LONGEST_S))}`;
		});
		const list = join(folder, 'frames.txt');
		// The last frame again, since ffmpeg leaves out its time.
		await writeFile(list, [...lines, `file '${chosen.at(-1)?.file}'`].join('\n'));
		return list;
	};
	const ffmpeg = async (chosen: Frame[], ...args: string[]) => {
		const input = ['-v', 'error', '-y', '-f', 'concat', '-safe', '0', '-i', await listOf(chosen)];
		await runProgram('ffmpeg', [...input, ...args], { cwd: folder });
	};

	return {
		hold: async (seconds) => await still(page, seconds),
		card: async (title, text) => {
			const card = await page.context().newPage();
			await card.setContent(cardOf(title, text));
			await still(card, 3);
			await card.close();
			await page.bringToFront();
		},
		mark: () => frames.length,
		webm: async (path) => await ffmpeg(frames, '-vf', 'scale=1440:900,fps=10', ...FAST_VP8, path),
		gif: async (path, from, to) =>
			await ffmpeg(
				frames.slice(from, to),
				'-vf',
				`setpts=PTS/2,fps=3,scale=800:-1,${FEW_COLORS}`,
				path,
			),
		close: async () => {
			await session.detach();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
