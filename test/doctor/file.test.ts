import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { checks, examine } from '../../src/cli/commands/doctor.js'
import { createPatient } from '../../src/cli/doctor/patient.js'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'
import { fileWith, find } from './support.js'

const HEAD = 'apiVersion: agones.dev/v1\nkind: GameServer\n'
const PORTS = 'spec: {ports: [{name: default, containerPort: 7777}]}\n'

describe('each mistake of a GameServer file is found', () => {
  const rows: readonly (readonly [id: string, text: string, status: string, said: RegExp])[] = [
    ['file', `${HEAD}spec: [\n`, 'failure', /neither YAML nor JSON: .* at line 4/],
    ['file', 'kind: &a [*a]\n', 'failure', /neither YAML nor JSON: the alias/],
    ['file', '5', 'failure', /must be an object/],
    ['file', HEAD + PORTS, 'ok', /is a GameServer of agones\.dev\/v1/],
    ['file', 'kind: Pod\napiVersion: v1\n', 'failure', /its kind is "Pod"; give a GameServer/],
    ['file', 'kind: GameServer\n', 'failure', /has kind "GameServer" and apiVersion "nothing"/],
    ['file-names', 'kind: Pod\napiVersion: v1\n', 'skipped', /holds no usable GameServer/],
    ['file', `apiVersion: agones.dev/v1\nkind: Fleet\nspec: {template: {${PORTS.trim()}}}\n`, 'ok', /GameServer/],
    ['file', `${HEAD}spec: {helth: {}}\n`, 'failure', /helth/],
    [
      'file-place',
      `${HEAD}status: {counters: {rooms: {count: 1}}}\n`,
      'warning',
      /counters rooms stand in status only/,
    ],
    ['file-place', `${HEAD}spec: {lists: {players: {}}}\n`, 'ok', /spec/],
    ['file-names', `${HEAD}spec: {counters: {a/b: {}}}\n`, 'failure', /"a\/b", which no call can name/],
    [
      'file-names',
      `${HEAD}metadata: {labels: {agones.dev/sdk-${'x'.repeat(60)}: y}}\n`,
      'failure',
      /blocks all later ones/,
    ],
    ['file-names', `${HEAD}metadata: {labels: {agones.dev/sdk-${'x'.repeat(59)}: y}}\n`, 'ok', /every name/],
    ['file-names', `${HEAD}spec: {lists: {roster: {}}}\n`, 'warning', /roster\) and none called players/],
    ['file-names', `${HEAD}spec: {lists: {players: {}}}\n`, 'ok', /every name/],
    ['file-health', `${HEAD}spec: {health: {disabled: true}}\n`, 'warning', /are off/],
    ['file-health', `${HEAD}spec: {health: {periodSeconds: 1}}\n`, 'warning', /every 1 s/],
    ['file-health', HEAD + PORTS, 'ok', /leave a game time/],
    ['file-ports', HEAD, 'warning', /spec\.ports is empty/],
    ['file-ports', `${HEAD}spec: {ports: [{name: a, portPolicy: Fixed}]}\n`, 'failure', /portPolicy "Fixed"/],
    ['file-ports', `${HEAD}spec: {ports: [{name: a}]}\n`, 'failure', /no containerPort/],
    [
      'file-ports',
      `${HEAD}spec: {ports: [{name: a, containerPort: 1, portPolicy: Static}]}\n`,
      'failure',
      /without a hostPort/,
    ],
    [
      'file-ports',
      `${HEAD}spec: {ports: [{name: a, containerPort: 1, hostPort: 2, portPolicy: Static}]}\n`,
      'warning',
      /one GameServer a node/,
    ],
    ['file-ports', HEAD + PORTS, 'ok', /given out/],
  ]
  test.each(rows)('%s of %j: %s', async (id, text, status, said) => {
    const finding = await find(id, { file: await fileWith(text) })
    expect(finding).toMatchObject({ status })
    expect(finding.text).toMatch(said)
  })

  test('a missing file', async () => {
    expect(await find('file', { file: '/no/such.yaml' })).toMatchObject({
      status: 'failure',
      text: 'Cannot read /no/such.yaml: there is no such file',
    })
  })
})

describe('doctor checks the cluster that kubectl reaches', () => {
  const { PATH } = process.env
  afterEach(() => void (process.env['PATH'] = PATH))

  /** A kubectl that answers by a script. */
  async function kubectl(script: string): Promise<void> {
    const folder = join(await temporaryFolder('kubectl'), 'bin')
    await mkdir(folder)
    await writeFile(join(folder, 'kubectl'), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, 'kubectl'), 0o755)
    process.env['PATH'] = `${folder}:${PATH}`
  }

  const VERSION = `version*) echo '{"serverVersion":{"gitVersion":"v1.33.1"}}' ;;`

  test('without a cluster, each cluster check is skipped', async () => {
    await kubectl('exit 1')
    for (const { id } of checks.filter(({ group }) => group === 'Cluster')) {
      expect(await find(id)).toEqual({ status: 'skipped', text: 'kubectl reaches no cluster from here' })
    }
  })

  test('a cluster without the platform fails', async () => {
    await kubectl(`case "$*" in ${VERSION} *) exit 1 ;; esac`)
    expect(await find('cluster')).toMatchObject({
      status: 'failure',
      text: 'kubectl reaches a cluster, version v1.33.1, which knows no GameServer',
    })
    expect(await find('cluster-rights')).toMatchObject({ status: 'skipped' })
    expect(await find('cluster-health')).toMatchObject({ status: 'skipped' })
  })

  test('an old platform, a service account without rights, and Unhealthy GameServers are reported', async () => {
    await kubectl(`case "$*" in ${VERSION}
      *crd*) echo '{}' ;;
      auth*) echo no; exit 1 ;;
      *) echo '{"items":[{"metadata":{"name":"g1"},"status":{"state":"Unhealthy"}}]}' ;; esac`)
    expect(await find('cluster')).toMatchObject({ status: 'warning' })
    expect(await find('cluster-rights')).toMatchObject({ status: 'failure' })
    expect((await find('cluster-health')).text).toBe('Unhealthy or in Error: g1')
  })
})

test('no check crashes on an ordinary sidecar, and each warning has a fix', async () => {
  const local = await startSidecar()
  const patient = createPatient({
    url: local.url,
    env: {},
    isUrlGiven: true,
    origin: 'https://game.example',
    file: join(root, 'deploy/gameserver.yaml'),
    version: '0.1.0',
    patience: 2_000,
  })
  const ids: string[] = []
  for await (const { id, status, text, fix } of examine(patient)) {
    ids.push(id)
    expect(text).not.toMatch(/check itself failed|undefined|NaN|\[object/)
    expect(fix !== undefined).toBe(status === 'warning' || status === 'failure')
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThanOrEqual(24)
})
