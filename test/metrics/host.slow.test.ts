import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { expect, onTestFinished, test } from 'vitest'
import { read } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'
import { noBrowser } from '../host/support/processes.js'
import { TICKS } from '../host/support/host-here.js'
import { pageOf, runHost } from '../host/support/run-host.js'
import { until } from '../support/until.js'

const CALL = `const call = (name) => fetch('/_/sidecar/' + name, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })`
const PAGE = `${CALL}
  ${TICKS}
  fetch('/_/sidecar/watch/gameserver')
  call('ready').then(() => call('health')).then(() => console.log('done'))
  gameServerHost.onconnection = (player) => (player.onmessage = ({ data }) => player.send(data + '!'))`

const missing = noBrowser ?? (spawnSync('promtool', ['--version']).status === 0 ? undefined : 'promtool is missing')
if (missing !== undefined) console.error(`The test of a host's metrics is SKIPPED: ${missing}`)

const promtool = (args: string[], input = ''): object => spawnSync('promtool', args, { input, encoding: 'utf8' })
const asRule = (expr: string, index: number): object => ({ record: `query:${index}`, expr })

/** The names of metrics in a text. */
const namesIn = (text: string): Set<string> => new Set(text.match(/\bgameserver_[a-z_]+/g))

test.skipIf(missing !== undefined)(
  'a host of a page tells a Prometheus of players, steps, beats and memory',
  async () => {
    const sidecar = await startSidecar({
      mode: 'production',
      gameServer: {
        status: { counters: { rooms: { count: 2, capacity: 5 } }, lists: { seats: { capacity: 4, values: ['a'] } } },
      },
    })
    const host = runHost([await pageOf(PAGE), '--sidecar', sidecar.url, '--metrics-port', '0', '--max-players', '1'])
    const [{ players }, { url }] = await Promise.all([host.until('listening'), host.until('metrics')])
    await host.until('console', ({ text }) => text === 'done')
    const player = new WebSocket(players)
    onTestFinished(() => player.terminate())
    await new Promise((resolve) => {
      player.on('open', () => player.send('hello'))
      player.on('message', resolve)
    })
    const refused = new WebSocket(players)
    await new Promise((resolve) => refused.on('close', resolve))

    const scrape = async (): Promise<string> => (await fetch(url)).text()
    await until(async () => expect(await scrape()).toMatch(/state="Ready"[^]*longest_step_seconds 0\.\d/))
    const text = await scrape()
    for (const line of [
      'gameserver_state{state="Ready"} 1',
      'gameserver_heartbeats_total{result="ok"} 1',
      'gameserver_heartbeat_limit_seconds 15',
      'gameserver_watch_connections 1',
      'gameserver_sidecar_request_duration_seconds_count{operation="ready",code="OK"} 1',
      'gameserver_resource_used{kind="counter",name="rooms"} 2',
      'gameserver_resource_capacity{kind="list",name="seats"} 4',
      'gameserver_players 1',
      'gameserver_players_refused_total{code="1013"} 1',
      'gameserver_player_bytes_total{to="game"} 5',
      'gameserver_player_bytes_total{to="players"} 6',
      'gameserver_restarts_total 0',
    ])
      expect(text.split('\n')).toContain(line)
    expect(text).toMatch(/^gameserver_memory_bytes\{part="renderer"\} \d{7,}$/m)

    // The queries of the dashboard and of the guide's alerts are PromQL, and name only what hosts give.
    const { panels } = JSON.parse(read('deploy/grafana.json')) as { panels: { targets: { expr: string }[] }[] }
    const [, alerts = ''] = read('docs/guides/metrics.md').split('## Alerts')
    const queries = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m'))),
      ...[...alerts.matchAll(/`([^`]*(?:gameserver|agones)_[^`]* [<>] [^`]+)`/g)].map(([, query]) => query!),
    ]
    expect(queries.length).toBeGreaterThan(20)
    expect([...namesIn(queries.join())].filter((name) => !namesIn(text).has(name))).toEqual([])
    const rules = join(await temporaryFolder('rules'), 'rules.json')
    await writeFile(rules, JSON.stringify({ groups: [{ name: 'all', rules: queries.map(asRule) }] }))

    const good = { status: 0, stderr: '' }
    expect(promtool(['check', 'rules', rules])).toMatchObject(good)
    expect(promtool(['check', 'metrics'], text)).toMatchObject({ ...good, stdout: '' })
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  },
)

test.skipIf(noBrowser !== undefined)("a host that can't have the port of its metrics says so in one line", async () => {
  const { url } = await startSidecar()
  const host = runHost([await pageOf(PAGE), '--sidecar', url, '--metrics-port', new URL(url).port])
  expect(await host.exited).toBe(69)
  const reason = expect.stringMatching(/^Port \d+ is .* --metrics-port, or 0/) as string
  expect(host.events.at(-1)).toMatchObject({ event: 'exit', code: 69, reason })
})
