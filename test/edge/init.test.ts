import { describe, expect, test } from 'vitest'
import { readNodes, addressPattern, numberPattern } from '../../src/deploy/init/edge.js'
import { documentsOf } from '../deploy/support/variants.js'
import { initIn } from '../init/support.js'

/** The numbers up to 70,000 that a pattern matches as a whole. */
const matches = (pattern: string): number[] => {
  const whole = new RegExp(`^(?:${pattern})$`)
  return Array.from({ length: 70_001 }, (_, number) => number).filter((number) => whole.test(String(number)))
}
const from = (least: number, greatest: number): number[] =>
  Array.from({ length: greatest - least + 1 }, (_, index) => least + index)

describe('the patterns of the edge', () => {
  test.each([
    [7000, 8000],
    [7777, 7777],
    [1, 65_535],
    [99, 10_001],
    [128, 191],
    [65_499, 65_500],
  ])('fit the numbers from %i to %i and no others, nor the same with zeros before them', (least, greatest) => {
    const pattern = numberPattern(least, greatest)
    expect(matches(pattern)).toEqual(from(least, greatest))
    expect(`0${greatest}`).not.toMatch(new RegExp(`^(?:${pattern})$`))
  })

  test.each([
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0', '110.0.0.0', '10.256.0.0', '10.0.0']],
    ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0', '172.16.0.0.0']],
    ['192.168.4.0/23', ['192.168.4.0', '192.168.5.255'], ['192.168.3.255', '192.168.6.0', '192x168.4.0']],
    ['192.0.2.7/32', ['192.0.2.7'], ['192.0.2.6', '192.0.2.8', '192.0.2.70', '192.0.2.07']],
    ['10.1.0.0/16, 198.51.100.64/26', ['10.1.2.3', '198.51.100.127'], ['10.2.0.0', '198.51.100.128']],
  ])('of %s fit the addresses of the networks and no others', (networks, inside, outside) => {
    const whole = new RegExp(`^(?:${addressPattern(readNodes(networks))})$`)
    for (const address of inside) expect(address).toMatch(whole)
    for (const address of outside) expect(address).not.toMatch(whole)
  })

  test.each(['10.0.0.0', '10.1.0.0/8', '10.0.0.0/7', '010.0.0.0/8', 'fd00::/8', '10.0.0.0/8,'])(
    'need networks of IPv4, which %j is not',
    (text) => expect(() => readNodes(text)).toThrow(/^nodes must be IPv4 networks with \/8 to \/32/),
  )
})

test.each([
  ['--ports', '8000-7000', /begins after its end; give 7000-8000/],
  ['--ports', '7000-65536', /must be a range of ports such as 7000-8000/],
])('init --edge refuses %s %s in one line', async (flag, wrong, message) => {
  const { code, err } = await initIn({}, {}, '--edge', 'play.example.com', flag, wrong)
  expect(code).toBe(64)
  expect(err).toMatch(message)
})

test('init --edge writes edge.yaml beside the rest, tells the next commands, and the servers trust the edge', async () => {
  const args = ['--edge', 'play.example.com', '--nodes', '10.128.0.0/20', '--ports', '7000-7100']
  const { code, out, err, text } = await initIn({ name: 'arena' }, { 'dist/index.html': '' }, ...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(
    '\n  kubectl create secret tls edge-tls --cert=fullchain.pem --key=privkey.pem\n  kubectl apply -f edge.yaml\n',
  )
  for (const name of ['gameserver.yaml', 'fleet.yaml'])
    expect(await text(name)).toMatch(/\n +- --trust-proxy=10\.128\.0\.0\/20\n/)
  expect(await text('.dockerignore')).toContain('\nedge.yaml\n')
  const edge = documentsOf(await text('edge.yaml')) as { kind: string; spec?: object }[]
  expect(edge.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget'])
  expect(edge[1]).toMatchObject({
    spec: {
      replicas: 2,
      template: {
        spec: {
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, runAsUser: 101 },
          containers: [{ securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } } }],
          // 0440 in octal, as the API takes it: the key is for nginx's group.
          volumes: [{}, { secret: { secretName: 'edge-tls', defaultMode: 0o440 } }, {}],
        },
      },
    },
  })
})
