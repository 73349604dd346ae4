import { expect, onTestFinished, test } from 'vitest'
import { connectClient } from '../support/with-sidecar.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

test('30 clients on one AbortSignal print no warning of Node, and the signal closes them all', async () => {
  const warnings: string[] = []
  const collect = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', collect)
  onTestFinished(() => void process.removeListener('warning', collect))
  const sidecar = await startScripted()
  const controller = new AbortController()
  const { signal } = controller
  const clients = Array.from({ length: 30 }, () => connectClient(sidecar, { signal }))
  await Promise.all(clients.map((client) => client.getGameServer({ signal })))
  expect(warnings).toEqual([])
  controller.abort()
  expect(new Set(clients.map(({ status }) => status.connection))).toEqual(new Set(['closed']))
})
