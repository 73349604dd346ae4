import { expect, test } from 'vitest'
import { measure } from '../../src/metrics.js'
import { formatFamilies, type Family } from '../../src/deploy/metrics.js'
import { formatMetrics } from '../../src/node.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

test('quotes, backslashes and line ends of labels and help texts are escaped', () => {
  const samples = [[1, { name: 'a"b\\c\nd' }]] as const
  expect(formatFamilies([['gauge', 'x', 'one\ntwo \\ "three"', samples]])).toBe(
    '# HELP gameserver_x one\\ntwo \\\\ "three"\n# TYPE gameserver_x gauge\ngameserver_x{name="a\\"b\\\\c\\nd"} 1\n',
  )
})

test('a value that is undefined is left out, and so is a family without values', () => {
  const families: Family[] = [
    ['gauge', 'x', 'h', [[1], [undefined, { a: 'c' }]]],
    ['gauge', 'y', 'h', [[undefined]]],
  ]
  expect(formatFamilies(families)).toBe('# HELP gameserver_x h\n# TYPE gameserver_x gauge\ngameserver_x 1\n')
})

test("formatMetrics() writes what a program's client has counted", async () => {
  const client = connectClient(await startSidecar())
  const read = measure(client)
  await client.ready()
  await client.health()
  const text = formatMetrics(read())
  expect(text).toContain('gameserver_heartbeats_total{result="ok"} 1\n')
  expect(text).toContain('gameserver_sidecar_request_duration_seconds_count{operation="ready",code="OK"} 1\n')
})
