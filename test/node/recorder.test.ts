import { execFile } from 'node:child_process'
import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createLocalSidecar } from '../../src/node.js'
import type { LocalSidecar, LocalSidecarOptions } from '../../src/node.js'
import { readLine } from '../../src/platform/schema/recording.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'

const record = (path: string, options: LocalSidecarOptions = {}): Promise<LocalSidecar> =>
  startSidecar({ record: path, ...options })

const linesOf = async (path: string): Promise<ReturnType<typeof readLine>[]> =>
  (await readFile(path, 'utf8')).trimEnd().split('\n').map(readLine)

test('a recording begins with the first entry and holds everything, through a restart and a fresh GameServer', async () => {
  const path = join(await temporaryFolder('recorder'), 'match.ndjson')
  const local = await record(path)
  expect((await stat(path)).size).toBe(0)
  const seen: unknown[] = []
  local.sidecar.log.follow({
    onEntry: (_entry, published) => void seen.push(...published),
    onExchange: () => undefined,
  })
  await fetch(`${local.url}/ready`, { method: 'POST', body: '{}' })
  await fetch(`${local.url}/health`, { method: 'POST', body: '{}' })
  local.control({ type: 'advanceClock', ms: 1_000 })
  local.control({ type: 'restart', fresh: true })
  local.control({ type: 'allocate', force: true })
  const entries = local.sidecar.log.entries()
  expect(local.sidecar.snapshot().recording).toBe(path)
  await local.close()
  const lines = await linesOf(path)
  expect(lines.slice(0, 3).map(({ type }) => type)).toEqual(['recording', 'gameserver', 'entry'])
  expect(lines.flatMap((line) => (line.type === 'entry' ? [line.entry] : []))).toEqual(
    JSON.parse(JSON.stringify(entries)),
  )
  expect(lines.filter(({ type }) => type === 'gameserver').slice(1)).toMatchObject(
    seen.map((gameServer) => ({ gameServer: JSON.parse(JSON.stringify(gameServer)) as unknown })),
  )
  expect(lines.filter(({ type }) => type === 'exchange')).toMatchObject([{ seq: 1, response: { status: 200 } }])
})

test('each line is written at once, without redacted values', async () => {
  const path = join(await temporaryFolder('recorder'), 'match.ndjson')
  const local = await record(path, { redact: ['*secret*'] })
  local.control({ type: 'setAnnotation', key: 'my-secret', value: 'hush' })
  local.control({ type: 'setLabel', key: 'a', value: 'b' })
  for (let text = ''; !text.includes('"value":"b"'); text = await readFile(path, 'utf8')) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await readFile(path, 'utf8')).endsWith('\n')).toBe(true)
  expect(await readFile(path, 'utf8')).not.toContain('hush')
})

test('an existing file is appended to, after the partial line that a killed recorder left', async () => {
  const path = join(await temporaryFolder('recorder'), 'match.ndjson')
  const first = await record(path)
  first.control({ type: 'allocate', force: true })
  await first.close()
  await appendFile(path, '{"type":"entry","entr')
  const second = await record(path)
  second.control({ type: 'allocate', force: true })
  await second.close()
  const texts = (await readFile(path, 'utf8')).trimEnd().split('\n')
  expect(texts.filter((text) => text.startsWith('{"type":"recording"'))).toHaveLength(2)
  expect(texts.filter((text) => text === '{"type":"entry","entr')).toHaveLength(1)
})

test('a path that can not be written is one sentence, and nothing listens', async () => {
  const path = await temporaryFolder('recorder')
  await writeFile(join(path, 'file'), '')
  await promisify(execFile)('mkfifo', [join(path, 'pipe')])
  for (const [bad, reason] of [
    [join(path, 'no', 'match.ndjson'), 'its folder does not exist; make it first'],
    [path, 'it is a folder; give the name of a file'],
    [join(path, 'file', 'x'), ''],
    [join(path, 'pipe'), 'it is a pipe, not a file'],
  ] as const) {
    await expect(createLocalSidecar({ record: bad })).rejects.toMatchObject({
      name: 'RecordingError',
      message: expect.stringContaining(`The recording can't be written into ${bad}: ${reason}`),
    })
  }
})

test.skipIf(process.platform !== 'linux')(
  'a full disk ends the recording with one warning, and the sidecar goes on',
  async () => {
    const warnings: string[] = []
    const local = await record('/dev/full', { onWarning: (message) => void warnings.push(message) })
    local.control({ type: 'allocate', force: true })
    while (warnings.length === 0) await new Promise((resolve) => setImmediate(resolve))
    local.control({ type: 'setState', state: 'Ready' })
    expect(local.sidecar.snapshot().gameServer.status.state).toBe('Ready')
    await local.close()
    expect(warnings).toEqual(['The recording into /dev/full ends here: the disk is full'])
  },
)

test.skipIf(process.platform === 'win32')('a file that is deleted ends the recording with one warning', async () => {
  const path = join(await temporaryFolder('recorder'), 'match.ndjson')
  const warnings: string[] = []
  const local = await record(path, { onWarning: (message) => void warnings.push(message) })
  local.control({ type: 'allocate', force: true })
  while ((await stat(path)).size === 0) await new Promise((resolve) => setImmediate(resolve))
  await rm(path)
  local.control({ type: 'setState', state: 'Ready' })
  await local.close()
  expect(warnings).toEqual([`The recording into ${path} ends here: the file was deleted`])
})
