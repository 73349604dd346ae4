import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.js'
import type { Exchange, Sequence } from './corpus.js'
import { normalise } from './normalise.js'
import type { Answered } from './normalise.js'

/** Sends a sequence to a real sidecar in local mode, started for it alone. */
export async function askRealSidecar(binary: string, sequence: Sequence): Promise<Answered[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sidecar-'))
  const [http, grpc] = [await freePort(), await freePort()]
  const options = ['--local', `--http-port=${http}`, `--grpc-port=${grpc}`]
  if (sequence.featureGates !== undefined) options.push(`--feature-gates=${sequence.featureGates}`)
  if (sequence.file !== undefined) {
    const path = join(folder, 'gameserver.json')
    await writeFile(path, JSON.stringify(sequence.file))
    options.push(`--file=${path}`)
  }
  const child = spawn(binary, options, { stdio: 'ignore' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await untilUp(http)
    const answers: Answered[] = []
    for (const exchange of sequence.exchanges) answers.push(await ask(http, exchange, agent))
    return answers
  } finally {
    agent.destroy()
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

function ask(port: number, exchange: Exchange, agent?: Agent): Promise<Answered> {
  const { method, target, headers = {} } = exchange
  const body = exchange.hex === undefined ? exchange.body : Buffer.from(exchange.hex, 'hex')
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: target,
        headers: {
          'content-type': 'application/json',
          ...headers,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
        ...(agent ? { agent } : {}),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          resolve(
            normalise(response.statusCode ?? 0, response.headers['content-type'], Buffer.concat(chunks).toString()),
          )
        })
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

async function untilUp(port: number): Promise<void> {
  for (;;) {
    try {
      const { status } = await ask(port, { method: 'GET', target: '/gameserver' })
      if (status === 200) return
    } catch {
      // Refused until it listens.
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
