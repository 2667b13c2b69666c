// Drives the extension in code-server; `try.sh` prepares all that is in the environment. Fails at the first fact that is not so.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { RUN, PORT, SYMD, SHOT, PLAYWRIGHT } = process.env;
const { chromium } = createRequire(import.meta.url)(PLAYWRIGHT);
const project = `${RUN}/project`;
const disk = () => readFileSync(`${project}/a.py`, 'utf8');
const symd = (...words) => new Promise((resolve) => {
  execFile(SYMD, ['--project', project, ...words], (error, stdout, stderr) => {
    resolve({ exit: error?.code ?? 0, text: stdout + stderr });
  });
});
const agent = (tool, argument) => symd('call', tool, JSON.stringify(argument));
const until = async (what, is) => {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const seen = await is();
    if (seen) {
      console.log(`ok: ${what}`);
      return seen;
    }
    if (Date.now() > deadline) {
      throw new Error(`not so: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

let done = false;
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
try {
  await until('code-server answers', () => page.goto(`http://127.0.0.1:${PORT}/?folder=${project}`).catch(() => null));
  await until('the extension runs', () => page.locator('.statusbar-item[id="symd.symd.status"], [id*="symd.status"]').count());
  await page.keyboard.press('Control+P');
  await page.keyboard.type('a.py');
  await page.waitForSelector('.quick-input-list .monaco-list-row');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.monaco-editor .view-line');
  const shown = async () => (await page.locator('.monaco-editor .view-lines').first().innerText()).replace(/\u00a0/g, ' ');
  await page.locator('.monaco-editor .view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# typed\n');
  await until('the tab is dirty', () => page.locator('.tab.dirty').count());
  await until('an agent sees what was typed', async () => {
    const { text } = await agent('read_file', { relative_path: 'a.py' });
    return text.includes('# typed') && text.includes('[unsaved: a.py in ');
  });
  await until('the file has not changed', () => disk() === 'def saved():\n    return 1\n');
  const context = await agent('editor_context', {});
  await until('an agent sees the cursor', () => context.text.startsWith('a.py:2:1 in ') && context.text.includes('not saved'));
  const edit = (from, to) => agent('replace_content', { relative_path: 'a.py', needle: from, repl: to, mode: 'literal' });
  const first = await edit('return 1', 'return 22');
  await until(`an agent's edit is made (${first.text.split('\n')[0]})`, () => first.exit === 0);
  await until('the editor shows it', async () => (await shown()).includes('return 22'));
  await until('it is not saved', () => disk() === 'def saved():\n    return 1\n');
  await page.keyboard.press('Control+S');
  await until('all is saved', () => disk() === '# typed\ndef saved():\n    return 22\n');
  // The file is written before VS Code says so; until then the buffer counts as unsaved.
  await until('agents are told so', async () => !(await agent('read_file', { relative_path: 'a.py' })).text.includes('[unsaved'));
  const second = await edit('return 22', 'return 333');
  await until(`an agent edits the saved buffer (${second.text.trim()})`, () => second.exit === 0 && disk().includes('return 333'));
  await until('the editor shows that, too', async () => (await shown()).includes('return 333'));
  await until('the tab is clean', async () => (await page.locator('.tab.dirty').count()) === 0);
  await page.keyboard.press('F1');
  await page.keyboard.type('symd: Undo Last Edit');
  await page.waitForSelector('.quick-input-list .monaco-list-row');
  await page.keyboard.press('Enter');
  await until('the edit is undone', () => disk().includes('return 22\n'));
  await until('in the editor, too', async () => (await shown()).includes('return 22'));
  await page.keyboard.press('F1');
  await page.keyboard.type('Explorer: Focus on Edits by Agents View');
  await page.waitForSelector('.quick-input-list .monaco-list-row');
  await page.keyboard.press('Enter');
  // Not any list: the message about the undo is a row of one, too.
  const tree = page.locator('.pane', { hasText: 'Edits By Agents' }).last().locator('.monaco-list-row');
  await until('the tree lists both edits, one undone', async () => {
    const rows = await tree.allInnerTexts();
    return rows.some((row) => row.includes('by cli, undone')) && rows.some((row) => row.trim().endsWith('by cli'));
  });
  await until('the undone buffer is saved', async () => (await page.locator('.tab.dirty').count()) === 0);
  await page.screenshot({ path: SHOT });
  const policy = await symd('approvals', 'policy', 'native/create_text_file', 'ask');
  await until(`a policy demands approvals (${policy.text.trim()})`, () => policy.exit === 0);
  for (const [word, file] of [['Deny', 'denied.py'], ['Once', 'allowed.py']]) {
    const asked = agent('create_text_file', { relative_path: file, content: 'x = 1\n' });
    // Not while it fades in.
    const toast = page.locator('.notification-toast.notification-fade-in-done', { hasText: file });
    await until(`an approval is shown: ${word}`, async () => (await toast.innerText().catch(() => '')).includes('asks to run'));
    await until('nothing is written before', () => !existsSync(`${project}/${file}`));
    await page.screenshot({ path: SHOT.replace('.png', '-approval.png') });
    await toast.getByRole('button', { name: word, exact: true }).click();
    const { exit, text } = await asked;
    await until(`the answer counts (${text.trim().split('\n')[0]})`, () => (exit === 0) === (word === 'Once'));
    await until('and the file is as it says', () => existsSync(`${project}/${file}`) === (word === 'Once'));
  }
  done = true;
} finally {
  // What the window showed when it failed.
  if (!done) {
    await page.screenshot({ path: SHOT });
  }
  await browser.close();
}
