import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('record.mjs', import.meta.url))

test.concurrent.for(['an uncaught error', 'process.exit()'])(
  'a recording holds every line before %s',
  async (end, { onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'recording-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'match.ndjson')
    const child = spawn(process.execPath, [script, path, end], { stdio: 'ignore' })
    await once(child, 'exit')
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    const values = lines.flatMap((line) => /^\{"type":"entry".*"command":.*?"value":"(\d+)"/.exec(line)?.[1] ?? [])
    expect(values.map(Number)).toEqual(Array.from({ length: 200 }, (_, i) => i))
  },
)
