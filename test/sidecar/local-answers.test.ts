import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readGameServer } from '../../src/schema/game-server.js'
import { createSidecar } from '../../src/sidecar/index.js'
import { corpus } from './support/corpus.js'
import type { Exchange, Sequence } from './support/corpus.js'
import { normalise } from './support/normalise.js'
import type { Answered } from './support/normalise.js'
import { askRealSidecar } from './support/real-sidecar.js'
import { createVirtualClock } from './support/virtual-clock.js'
import { binaries, has } from '../contract/support/releases.js'

const recordPath = fileURLToPath(new URL('fixtures/local-answers.json', import.meta.url))
/** The newest is recorded. */
const newest = binaries.at(-1)
const recording = newest !== undefined && process.env.RECORD !== undefined

async function askOurs(sequence: Sequence): Promise<Answered[]> {
  const clock = createVirtualClock()
  const sidecar = createSidecar(
    {
      mode: 'local',
      ...(sequence.file === undefined ? {} : { gameServer: readGameServer(sequence.file) }),
      ...(sequence.featureGates === undefined ? {} : { featureGates: { CountsAndLists: false } }),
    },
    clock,
  )
  const answers: Answered[] = []
  for (const exchange of sequence.exchanges) {
    const response = await sidecar.handle(toRequest(exchange), {
      method: exchange.method,
      target: exchange.target,
    })
    const text = exchange.method === 'HEAD' ? '' : await response.text()
    answers.push(normalise(response.status, response.headers.get('content-type'), text))
  }
  sidecar.close()
  return answers
}

function toRequest({ method, body, hex, headers = {} }: Exchange): Request {
  const content = hex === undefined ? body : Buffer.from(hex, 'hex')
  return new Request('http://localhost/', {
    method: content === undefined ? method : method === 'GET' ? 'POST' : method,
    headers: { 'content-type': 'application/json', ...headers },
    // A body of no bytes goes over the wire as none.
    ...(content === undefined || content.length === 0 ? {} : { body: content }),
  })
}

describe('mode local answers as the real sidecar did', () => {
  const recorded = recording
    ? {}
    : (JSON.parse(readFileSync(recordPath, 'utf8')) as Record<string, readonly Answered[] | undefined>)

  it.each(corpus)('$name', async (sequence) => {
    if (recording) recorded[sequence.name] = await askRealSidecar(newest.path, sequence)
    const expected = recorded[sequence.name] ?? []
    const answers = await askOurs(sequence)
    expect(pair(sequence, answers)).toEqual(pair(sequence, expected))
  })

  it.runIf(recording)('is recorded anew', () => {
    const lines = Object.entries(recorded).map(
      ([name, answers]) =>
        `${JSON.stringify(name)}: [\n${(answers ?? []).map((answer) => JSON.stringify(answer)).join(',\n')}\n]`,
    )
    writeFileSync(recordPath, `{\n${lines.join(',\n')}\n}\n`)
  })
})

describe.each(recording ? [] : binaries)(
  'mode local answers as the real sidecar $release does',
  ({ release, path }) => {
    const played = corpus.filter(({ since }) => !since || has(release, since))
    it.each(played)('$name', async (sequence) => {
      const [ours, real] = await Promise.all([askOurs(sequence), askRealSidecar(path, sequence)])
      expect(pair(sequence, ours)).toEqual(pair(sequence, real))
    })
  },
)

/** Each answer beside its request, so that a difference names its cause. */
function pair(sequence: Sequence, answers: readonly Answered[]): unknown[] {
  return sequence.exchanges.map(({ method, target, body, hex }, i) => ({
    request: `${method} ${target} ${body ?? hex ?? ''}`,
    answer: answers[i],
  }))
}
