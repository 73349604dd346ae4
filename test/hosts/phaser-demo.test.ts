import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../support/source.js'

test('the Phaser demo goes from Scheduled to Shutdown and both processes end', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, 'demo/phaser/run.mjs')])
  const steps = [
    'sidecar .* production mode',
    'state .*Ready',
    'counter .*3 of 8',
    'state .*Allocated',
    'match .*3 players',
    'match .*over after [1-9]\\d* frames and [1-9]\\d* hits',
    'counter .*0 of 8',
    'state .*Shutdown',
    'game .*destroyed',
    'The Phaser server has ended by itself',
  ]
  expect(stdout).toMatch(new RegExp(steps.join('[^]*\\n')))
  expect(stdout).toMatch(/^list .*Ada, Grace, Linus/m)
  expect(stdout).toMatch(/^health +first beat/m)
  expect(stdout).not.toMatch(/^error/m)
  expect(stderr).toBe('')
})
