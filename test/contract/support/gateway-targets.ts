import { createGateway } from '../../../src/node.js'
import { send } from './send.js'
import { localTargets, type Target } from './targets.js'
import type { Answer, Step, WireCase } from './wire-case.js'
import { badEscape, fails, invalid, noBeat, notFound, tooLarge, wrongMethod } from './wire-case.js'

/** The same sidecars, each behind a gateway of its own; what stops first is the sidecar. */
export const gatewayTargets: readonly Target[] = localTargets.map((target) => ({
  name: `the gateway before ${target.name}`,
  ours: target.ours,
  release: target.release,
  async start(setup) {
    const sidecar = await target.start(setup)
    const gateway = await createGateway({ sidecar: `http://127.0.0.1:${sidecar.port}` })
    return {
      port: gateway.port,
      prefix: '/_/sidecar',
      file: sidecar.file,
      async stop() {
        await sidecar.stop()
        // The ends of its connections have come before this is refused. Stopping twice is fine.
        await send(gateway.port, 'GET /_/sidecar/gameserver').catch(() => undefined)
        await gateway.close()
      },
    }
  },
}))

/** What stands in a path for a name and isn't one, percent-encoded, that stays one whoever reads it. */
const noName = /^$|["<>^`{|}#\\]/

const nameIn = ({ call }: Step): string | undefined =>
  /^\w+ \/v1beta1\/(?:counters|lists)\/([^/?]*)(?:\?|$)/.exec(call.replace(/^(POST .*):\w+Value/, '$1'))?.[1]

/** Where the gateway answers by itself: outside of the interface it is stricter than the sidecar is. */
const differences: readonly {
  readonly what: string
  isSo(step: Step): boolean
  readonly answer: Answer
}[] = [
  {
    what: 'what is no path',
    isSo: ({ call }) => call === 'GET \\gameserver',
    answer: fails(404, 5, 'The gateway has no /_/sidecar\\gameserver'),
  },
  {
    what: 'malformed escapes',
    isSo: ({ expect }) => expect === badEscape,
    answer: invalid('The path has a malformed escape'),
  },
  { what: 'the alpha interface', isSo: ({ call }) => /^\w+ \/alpha\//.test(call), answer: notFound },
  {
    what: 'another method on /health',
    isSo: ({ call, expect }) => expect === noBeat && !call.startsWith('POST'),
    answer: wrongMethod,
  },
  {
    what: 'an empty body in chunks, which no longer is one',
    isSo: ({ call, chunked, body }) => call === 'POST /health' && chunked === true && body === '',
    answer: noBeat,
  },
  {
    what: 'a name that is none',
    isSo: (step) => noName.test(nameIn(step) ?? 'x') && step.expect.status === 500,
    answer: notFound,
  },
  {
    what: 'an escape in a verb',
    isSo: ({ call }) => /^POST \S+(%3AaddValue|:add%56alue)$/.test(call),
    answer: wrongMethod,
  },
  {
    what: 'a verb without a name',
    isSo: ({ call }) => /^POST \/v1beta1\/lists\/:(add|remove)Value$/.test(call),
    answer: wrongMethod,
  },
  {
    what: 'another spelling of a path',
    isSo: (step) =>
      /^\w+ [^?]*%/.test(step.call) &&
      (step.expect.status === 200 || step.expect === noBeat) &&
      nameIn(step) === undefined,
    answer: notFound,
  },
  {
    what: 'another query',
    isSo: ({ call, expect }) =>
      /\?(?!&*$)/.test(call) &&
      ![404, 501].includes(expect.status) &&
      !/^PATCH [^?]*\?(updateMask(=[\w.,%*+-]*)?(&|$))+$/.test(call),
    answer: invalid('The sidecar takes no query but updateMask, and that only with PATCH'),
  },
  {
    what: 'a body over 4 MiB, whatever message it stands for',
    isSo: ({ ours }) => ours === tooLarge,
    answer: tooLarge,
  },
]

/** The gateway's own answer to a step, if it differs from the sidecar's. */
export const ownAnswer = (step: Step): Answer | undefined => differences.find(({ isSo }) => isSo(step))?.answer

/** Areas about what a port or the gateway reads itself: all their cases are played through both. */
const READ_BY_PORTS = ['methods', 'paths', 'names', 'headers', 'bodies around 4 MiB', 'started with a file']

/** Whether a body or its framing could be changed on the way. */
const isUnusual = ({ headers, chunked, body }: Step): boolean =>
  headers !== undefined || chunked === true || (body !== undefined && typeof body !== 'string')

/** Method and path with names left out, and how it is answered. */
const kindOf = ({ call, expect }: Step): string =>
  `${call.replace(/^(\w+ \/v1beta1\/\w+)\/[^:?]*/, '$1/')} ${expect.status}`

/**
 * The cases that can fail because of a port or the gateway. Both hand on bodies and answers without a look into them, so of
 * cases that differ in nothing else the first stands for all.
 */
export function casesForPorts(areas: Readonly<Record<string, readonly WireCase[]>>): Record<string, WireCase[]> {
  const seen = new Set<string>()
  const isNew = (step: Step): boolean => !seen.has(kindOf(step)) && seen.add(kindOf(step)) !== undefined
  return Object.fromEntries(
    Object.entries(areas).map(([area, cases]) => [
      area,
      cases.filter(({ steps }) => {
        const hasNewKind = steps.filter(isNew).length > 0
        return hasNewKind || READ_BY_PORTS.includes(area) || steps.some((step) => isUnusual(step) || ownAnswer(step))
      }),
    ]),
  )
}
