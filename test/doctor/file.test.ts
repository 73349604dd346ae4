import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examine } from '../../src/cli/commands/doctor.js'
import { createSubject } from '../../src/cli/doctor/subject.js'
import { clusterMistakes } from '../../src/platform/schema.js'
import { root } from '../support/source.js'
import { temporaryFile } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'
import { find } from './support.js'

/** A GameServer without a mistake, whose lines can be replaced. */
const GOOD = `apiVersion: agones.dev/v1
kind: GameServer
metadata: {name: arena}
spec:
  ports: [{name: default, containerPort: 7777, protocol: TCP}]
  health: {failureThreshold: 3}
  counters: {rooms: {capacity: 10}}
  lists: {players: {capacity: 100}}
  template: {spec: {containers: [{name: game, image: "arena:1.0"}]}}
`
const good = (line: string, replacement: string): string => {
  if (!GOOD.includes(line)) throw new Error(`GOOD has no ${line}`)
  return GOOD.replace(line, replacement)
}
const FLEET = `apiVersion: agones.dev/v1
kind: Fleet
metadata: {name: arena}
spec:
  template:
    spec:
      ports: [{name: default, containerPort: 7777, protocol: TCP}]
      template: {spec: {containers: [{name: game, image: "arena:1.0"}]}}
`

const found = async (text: string): Promise<string> => {
  const file = await temporaryFile('gameserver.yaml', text)
  const { status, text: said } = await find('file', { file })
  return `${status} ${said.replace(file, 'FILE')}`
}

test.each([GOOD, FLEET])('doctor --file accepts what a cluster takes', async (text) => {
  expect(await found(text)).toMatch(/^ok FILE is a (GameServer|Fleet) that a cluster takes$/)
})

const refused: readonly (readonly [what: string, text: string, said: RegExp])[] = [
  [
    'an unknown field',
    good('health:', 'helth:'),
    /FILE:6 holds no usable GameServer: .*"helth"; did you mean "health"\?/,
  ],
  ['no version', good('apiVersion: agones.dev/v1\n', ''), /FILE:1: .*apiVersion/],
  [
    'a name with "_"',
    good('{name: arena}', '{name: My_Tag}'),
    /FILE:3: metadata\.name .*got "My_Tag"; did you mean "my-tag"\?/,
  ],
  ['a name of 64 characters', good('name: arena', `name: ${'a'.repeat(64)}`), /at most 63/],
  [
    'neither name nor generateName',
    good('{name: arena}', '{labels: {}}'),
    /metadata needs a name or a generateName; got none/,
  ],
  [
    'a label that is too long',
    good('name: arena', `name: arena, labels: {a: ${'x'.repeat(64)}}`),
    /metadata\.labels\.a must be/,
  ],
  ['no image', good(', image: "arena:1.0"', ''), /FILE:9: spec\.template\.spec\.containers\[0\] .*image/],
  ['no container', good('[{name: game, image: "arena:1.0"}]', '[]'), /containers must hold the container of the game/],
  [
    'no template',
    good('  template: {spec: {containers: [{name: game, image: "arena:1.0"}]}}\n', ''),
    /spec needs the field "template"/,
  ],
  [
    'a container with a bad name',
    good('name: game', 'name: Game Server'),
    /containers\[0\]\.name .*did you mean "game-server"\?/,
  ],
  [
    'two containers, none of them named as the game',
    good('[{name: game', '[{name: log, image: l}, {name: game'),
    /spec\.container must name one of the containers log, game; got nothing/,
  ],
  [
    'a failureThreshold of 0',
    good('Threshold: 3', 'Threshold: 0'),
    /FILE:6: spec\.health\.failureThreshold must be an integer of at least 1; got 0/,
  ],
  [
    'a list beyond 1000',
    good('capacity: 100}', 'capacity: 5000000}'),
    /FILE:8: spec\.lists\.players\.capacity must be an integer from 0 to 1000; got 5000000/,
  ],
  ['a counter that no call can name', good('rooms:', 'a/b:'), /spec\.counters\.a\/b must be a name without "\/"/],
  [
    'an unknown port policy',
    good('containerPort', 'portPolicy: Fixed, containerPort'),
    /portPolicy must be .*"Dynamic".*; got "Fixed"|portPolicy can't be "Fixed"/,
  ],
  ['an unknown protocol', good('TCP', 'ws'), /FILE:5: spec\.ports\[0\]\.protocol must be .*; got "ws"/],
  [
    'a port without a containerPort',
    good('containerPort: 7777, ', ''),
    /containerPort must be the port of the game with portPolicy Dynamic/,
  ],
  [
    'a Static port without a hostPort',
    good('containerPort', 'portPolicy: Static, containerPort'),
    /hostPort must be a port of the node/,
  ],
  [
    'a hostPort of a Dynamic port',
    good('containerPort', 'hostPort: 7000, containerPort'),
    /hostPort must be absent with portPolicy Dynamic/,
  ],
  [
    'a mistake in a Fleet',
    FLEET.replace('7777', '0'),
    /FILE:7: spec\.template\.spec\.ports\[0\]\.containerPort must be an integer from 1 to 65535; got 0/,
  ],
]
test.each(refused)('doctor --file fails for %s', async (_, text, said) => {
  expect(await found(text)).toMatch(new RegExp(`^failure .*(${said.source})`))
})

test.each([
  [
    'a port of UDP',
    good(', protocol: TCP', ''),
    /FILE:5: spec\.ports\[0\] takes UDP, the default; for WebSockets add protocol: TCP/,
  ],
  ['no ports', good('  ports: [{name: default, containerPort: 7777, protocol: TCP}]\n', ''), /spec has no ports/],
  [
    'a counter in status only',
    `${GOOD}status: {counters: {seats: {count: 1}}}\n`,
    /status\.counters\.seats is ignored; a cluster reads spec\.counters/,
  ],
])('doctor --file warns of %s', async (_, text, said) => {
  expect(await found(text)).toMatch(new RegExp(`^warning .*(${said.source})`))
})

test('a file with several mistakes gets a line for each field', () => {
  const mistakes = clusterMistakes({
    apiVersion: 'agones.dev/v1',
    kind: 'GameServer',
    metadata: { name: 'My_Tag' },
    spec: { health: { failureThreshold: 0 }, lists: { a: { capacity: 2000 } }, template: {} },
  })
  expect(mistakes.map(({ message }) => message.split(' ')[0])).toEqual([
    ...['metadata.name', 'spec.health.failureThreshold', 'spec.lists.a.capacity', 'spec.template', 'spec'],
  ])
})

test('doctor --file names a missing file', async () => {
  expect(await find('file', { file: '/no/such.yaml' })).toMatchObject({
    status: 'failure',
    text: 'Cannot read /no/such.yaml: there is no such file',
  })
})

test('no check crashes on an ordinary sidecar, and each warning has a fix', async () => {
  const local = await startSidecar()
  const subject = createSubject({
    url: local.url,
    env: {},
    origin: 'https://game.example',
    file: join(root, 'examples/reuse/fleet.yaml'),
    version: '0.1.0',
    patience: 2_000,
  })
  const ids: string[] = []
  for await (const { id, status, text, fix } of examine(subject)) {
    ids.push(id)
    expect(text).not.toMatch(/check itself failed|undefined|NaN|\[object/)
    expect(fix !== undefined).toBe(status === 'warning' || status === 'failure')
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toHaveLength(12)
})
