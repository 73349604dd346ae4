import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { snippetsOf } from '../support/markdown.js'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { isRunning } from '../host/program/support.js'
import { cli } from './support.js'

const snippets = snippetsOf('docs/scenarios.md')
const snippet = (language: string): string => snippets.find((one) => one.language === language)!.code
const example = snippet('yaml')
/** The same on a busy machine. */
const patient = example.replaceAll('within: 2s', 'within: 60s')
const game = snippet('js').replace("'gameserver-sidecar'", JSON.stringify(join(root, 'dist/index.js')))

/** A folder with the example of the docs, its game, and what else a test needs. */
async function folderWith(files: Readonly<Record<string, string>> = {}): Promise<(name: string) => string> {
  const folder = await temporaryFolder('scenario')
  const path = (name: string): string => join(folder, name)
  for (const [name, text] of Object.entries({ 'evict.yaml': patient, 'game.mjs': game, ...files })) {
    await writeFile(path(name), text)
  }
  return path
}

describe('scenario run', () => {
  test('plays the example of the docs with its game, and writes a report beside the text', async () => {
    const path = await folderWith()
    const report = ['--reporter', 'junit', '--output', path('r.xml')]
    const command = ['--', process.execPath, path('game.mjs')]
    const { code, out, err } = await cli(['scenario', 'run', path('evict.yaml'), ...report, ...command]).finished
    expect({ out, err }).toEqual({ out: expect.stringContaining('1 of 1 scenario passed'), err: '' })
    expect(out.match(/^ {2}✓/gm)).toHaveLength(9)
    expect(await readFile(path('r.xml'), 'utf8')).toContain('<testsuites tests="9" failures="0"')
    expect(code).toBe(0)
  })

  test('--record redacts secret values, and --no-dashboard serves no page', async () => {
    const path = await folderWith({
      'note.yaml': 'steps: [{ allocate: { annotations: { token: secret-7 } } }]',
      'wait.yaml': 'steps: [{ expect: { annotation: { never: set }, within: 20s } }]',
    })
    const shared = ['--record', path('run.ndjson'), '--redact', '*token*']
    expect((await cli(['scenario', 'run', path('note.yaml'), ...shared, '--http-port', '0']).finished).out).toContain(
      'note.yaml',
    )
    const recording = await readFile(path('run.ndjson'), 'utf8')
    expect(recording).toContain('"type":"allocate"')
    expect(recording).not.toContain('secret-7')

    const waiting = cli(['scenario', 'run', path('wait.yaml'), '--no-dashboard', '--http-port', '0'])
    const [, url] = await waiting.errorLine(/sidecar: (http:\S+);/)
    expect((await fetch(`${url}/_/`)).status).toBe(404)
    waiting.child.kill('SIGTERM')
    expect((await waiting.finished).code).toBe(143)
  })

  test('reports the failed step with the events before it, plays the next file, and exits with 1', async () => {
    const path = await folderWith({
      'bad.yaml': example.replace('countDiff: 1 }, within: 2s', 'countDiff: 2 }, within: 1s'),
      'next.yaml': 'steps: [{ expect: { state: Ready } }]',
    })
    const command = ['--', process.execPath, path('game.mjs')]
    const { code, out } = await cli(['scenario', 'run', path('bad.yaml'), path('next.yaml'), ...command]).finished
    expect(out).toMatch(
      /bad\.yaml:\d+\n +expected {2}call updateCounter with key=rooms, countDiff=2 within 1 s\n +got +call updateCounter with key=rooms, countDiff=1, answered by 200\n/,
    )
    expect(out).toMatch(/the last events before it:\n(.*\n)*.*updateCounter rooms \+1 +ok/)
    expect(out).toContain('1 of 2 scenarios passed')
    expect(code).toBe(1)
  })

  test('a signal ends the game, too', async () => {
    const path = await folderWith({
      'game.mjs': `console.error('pid ' + process.pid); process.on('SIGTERM', () => setTimeout(() => process.exit(0), 50)); setInterval(() => {}, 1000)`,
      'long.yaml': 'steps: [{ wait: 1h }]',
    })
    const run = cli(['scenario', 'run', path('long.yaml'), '--', process.execPath, path('game.mjs')])
    const [, pid] = await run.errorLine(/pid (\d+)/)
    run.child.kill('SIGTERM')
    const { code, out } = await run.finished
    expect(out).toContain('the run was stopped by SIGTERM')
    expect(code).toBe(143)
    await expect.poll(() => isRunning(Number(pid))).toBe(false)
  })

  test('ends with 75 when its time is over', async () => {
    const path = await folderWith({ 'long.yaml': 'steps: [{ wait: 1h }, { wait: 1h }]' })
    const { code, out } = await cli(['scenario', 'run', path('long.yaml'), '--timeout', '0.5', '--http-port', '0'])
      .finished
    expect(out).toContain('0.5 s were over')
    expect(code).toBe(75)
  })
})
