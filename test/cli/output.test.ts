import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { CLI } from './support.js'

// A command that writes and ends, and one that would go on.
test.skipIf(process.platform !== 'linux').each([
  ['completion', 'bash'],
  ['local', '--http-port', '0'],
])('%s ends with 1 and a sentence if the disk is full, since its output is not the whole', async (...args) => {
  const full = await open('/dev/full', 'w')
  onTestFinished(() => full.close())
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', full.fd, 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [err, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')])
  expect(err).toMatch(/^The output can't be written: ENOSPC: .+\.\n$/)
  expect(code).toBe(1)
})
