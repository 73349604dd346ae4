import { expect, test } from 'vitest'
import { formatFamilies } from '../../src/node/metrics/prometheus.js'
import { formatMetrics } from '../../src/node/index.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

test('quotes, backslashes and line ends of labels and help texts are escaped', () => {
  const samples = [[1, { name: 'a"b\\c\nd' }]] as const
  expect(formatFamilies([{ name: 'x', help: 'one\ntwo \\ "three"', type: 'gauge', samples }])).toBe(
    '# HELP x one\\ntwo \\\\ "three"\n# TYPE x gauge\nx{name="a\\"b\\\\c\\nd"} 1\n',
  )
})

test('infinity is written as Prometheus spells it, and a family without values is left out', () => {
  const gauge = { help: 'h', type: 'gauge' } as const
  const families = [
    { ...gauge, name: 'x', samples: [[Infinity], [-Infinity, { a: 'b' }]] as const },
    { ...gauge, name: 'y', samples: [[undefined]] as const },
  ]
  expect(formatFamilies(families)).toBe('# HELP x h\n# TYPE x gauge\nx +Inf\nx{a="b"} -Inf\n')
})

test("formatMetrics() writes what a program's client has counted", async () => {
  const client = connectClient(await startSidecar())
  await client.ready()
  await client.health()
  const text = formatMetrics(client.metrics())
  expect(text).toContain('gameserver_heartbeats_total{result="ok"} 1\n')
  expect(text).toContain('gameserver_sidecar_request_duration_seconds_count{operation="ready",code="OK"} 1\n')
})
