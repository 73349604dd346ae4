import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { snippetsOf } from '../support/markdown.js'
import { temporaryFolder, type TemporaryFolder } from '../support/packed.js'
import { read, root } from '../support/source.js'

/** A fresh clone and, beside it, an empty folder. */
let parent: TemporaryFolder
const inClone = (): string => join(parent.path, 'gameserver-sidecar')
const inProject = (): string => join(parent.path, 'game')

/** Where each command of the README runs, and the line that shows that it works. Without one, it ends with 0. */
const RUNS: Readonly<Record<string, readonly [folder: () => string, until?: RegExp]>> = {
  'npm ci && npm run demo': [inClone, /^http:\/\/127\.0\.0\.1:\d+\/$/],
  'npm pack': [inClone],
  'npm install ../gameserver-sidecar/gameserver-sidecar-0.1.0.tgz': [inProject],
  'npx gameserver-sidecar demo': [inProject, /^http:\/\/127\.0\.0\.1:\d+\/$/],
  'npx gameserver-sidecar exec -- node game.mjs': [inProject, /^now Ready$/],
}
/** Would run this test once more. */
const THE_TESTS = 'npm ci && npm test'

const snippets = snippetsOf('README.md')
const commands = snippets.filter(({ language }) => language === 'sh').flatMap(({ code }) => code.trim().split('\n'))

beforeAll(async () => {
  parent = await temporaryFolder()
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of list.toString().split('\0').filter(Boolean)) cpSync(join(root, file), join(inClone(), file))
  mkdirSync(inProject())
  const [game] = snippets.filter(({ language }) => language === 'js')
  writeFileSync(join(inProject(), 'game.mjs'), game!.code)
  return () => parent.remove()
})

/** Runs a command as a shell does, and returns the line that was waited for, or what the command has printed. */
async function run(command: string, folder: string, until?: RegExp): Promise<string> {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env
  const child = spawn(command, {
    ...{ cwd: folder, shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { ...env, npm_config_prefer_offline: 'true' },
  })
  onTestFinished(() => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM')
  })
  let printed = ''
  child.stderr.on('data', (text) => (printed += String(text)))
  for await (const line of createInterface({ input: child.stdout })) {
    if (until?.test(line)) return line
    printed += `${line}\n`
  }
  const [code] = child.exitCode === null ? ((await once(child, 'exit')) as [number | null]) : [child.exitCode]
  expect(code, printed).toBe(0)
  expect(until, `${command} has ended. It printed: ${printed}`).toBe(undefined)
  return printed
}

test('each command of the README is listed here', () => {
  expect([...new Set(commands)].filter((command) => command !== THE_TESTS)).toEqual(Object.keys(RUNS))
})

test.each(commands.filter((command) => command !== THE_TESTS))(
  'README’s command %s works as it stands',
  async (command) => {
    const [folder, until] = RUNS[command]!
    const found = await run(command, folder(), until)
    if (found.startsWith('http')) expect((await fetch(found)).status).toBe(200)
  },
)

test('npm test is a script of a clone', () => {
  console.warn(`README’s command "${THE_TESTS}" is NOT RUN by this test, which it would run again`)
  expect(JSON.parse(read('package.json'))).toMatchObject({ scripts: { test: 'node build/test.mjs' } })
})

test('npx gameserver-sidecar demo works in a clone too', async () => {
  const url = await run('npx gameserver-sidecar demo', inClone(), /^http:\/\/127\.0\.0\.1:\d+\/$/)
  expect((await fetch(url)).status).toBe(200)
})

test('a clone without packages says what to type', async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  for (const path of ['bin', 'build', 'package.json'])
    cpSync(join(root, path), join(folder.path, path), { recursive: true })
  const child = spawn(process.execPath, ['bin/gameserver-sidecar.mjs', 'demo'], { cwd: folder.path })
  let complaint = ''
  child.stderr.on('data', (text) => (complaint += String(text)))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(complaint).toBe('Nothing is installed yet. Run: npm ci\n')
})
