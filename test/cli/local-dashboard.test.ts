import { expect, test } from 'vitest'
import { cli, startLocal } from './support.js'

test('local --no-dashboard names no dashboard', async () => {
  const { url, child, line, finished } = await startLocal(['--no-dashboard'])
  await line(/Waiting for/)
  expect((await fetch(`${url}/_/`)).status).toBe(404)
  child.kill('SIGTERM')
  expect((await finished).out).not.toMatch(/dashboard/i)
  const json = cli(['local', '--http-port', '0', '--no-dashboard', '--log-format', 'json'])
  expect(JSON.parse((await json.line(/.*listening.*/))[0])).not.toHaveProperty('dashboard')
  json.child.kill('SIGTERM')
  await json.finished
})
