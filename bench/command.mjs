/**
 * What a command costs beside the same request by hand with fetch, by hand with node:http, and beside the official SDK
 * where that is installed and a real sidecar is named by SDK_SERVER: one after the other, in turns, time and CPU.
 */
import { existsSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createClient } from '../dist/index.js'
import { root, startSidecar } from './support/processes.mjs'
import { median, round } from './support/statistics.mjs'

export const title = 'A command beside raw fetch, node:http and the official SDK'

const JSON_TYPE = { 'content-type': 'application/json' }
const BATCH = 20
const OFFICIAL = join(root, 'test/frameworks/agones-sdk/')

/** What somebody would write instead: the request, the check of its status, the answer parsed. */
async function byFetch(url, method, body) {
  const init = body === undefined ? { method } : { method, headers: JSON_TYPE, body: JSON.stringify(body) }
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

const agent = new Agent({ keepAlive: true })

function byHttp(url, method, body) {
  return new Promise((resolve, reject) => {
    const text = body && JSON.stringify(body)
    const headers = text ? { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) } : {}
    const sent = request(url, { agent, method, headers }, (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => (answer += piece))
      response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(answer)) : reject(new Error(answer))))
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

async function connectOfficial({ grpcPort }, folder) {
  if (!grpcPort || !existsSync(join(folder, 'node_modules/@google-cloud/agones-sdk'))) return undefined
  process.env.AGONES_SDK_GRPC_PORT = String(grpcPort)
  const AgonesSDK = createRequire(join(folder, 'package.json'))('@google-cloud/agones-sdk')
  const sdk = new AgonesSDK()
  await sdk.connect()
  return sdk
}

const commands = (client, url, official) => ({
  setLabel: {
    fetch: () => byFetch(`${url}/metadata/label`, 'PUT', { key: 'round', value: '7' }),
    'node:http': () => byHttp(`${url}/metadata/label`, 'PUT', { key: 'round', value: '7' }),
    client: () => client.setLabel('round', '7'),
    ...(official && { official: () => official.setLabel('round', '7') }),
  },
  getGameServer: {
    fetch: () => byFetch(`${url}/gameserver`, 'GET'),
    'node:http': () => byHttp(`${url}/gameserver`, 'GET'),
    client: () => client.getGameServer(),
    ...(official && { official: () => official.getGameServer() }),
  },
})

async function timeBatch(call, { times, cpu }) {
  const before = process.cpuUsage()
  for (let i = 0; i < BATCH; i++) {
    const start = performance.now()
    await call()
    times.push(performance.now() - start)
  }
  const { user, system } = process.cpuUsage(before)
  cpu.push((user + system) / BATCH)
}

export async function measure({ quick, officialFolder = OFFICIAL }) {
  const batches = quick ? 20 : 150
  const sidecar = await startSidecar()
  const client = createClient({ baseUrl: sidecar.url })
  const official = await connectOfficial(sidecar, officialFolder)
  try {
    const rows = []
    for (const [command, ways] of Object.entries(commands(client, sidecar.url, official)))
      rows.push(...(await compare(command, sidecar.name, ways, batches)))
    return rows
  } finally {
    client.close()
    official?.close()
    agent.destroy()
    await sidecar.end()
  }
}

async function compare(command, sidecar, ways, batches) {
  const names = Object.keys(ways)
  const measured = Object.fromEntries(names.map((name) => [name, { times: [], cpu: [] }]))
  for (let i = -batches / 5; i < batches; i++) {
    // The order rotates, so that no contender always runs after the same one.
    const turn = ((i % names.length) + names.length) % names.length
    for (const name of [...names.slice(turn), ...names.slice(0, turn)])
      await timeBatch(ways[name], i < 0 ? { times: [], cpu: [] } : measured[name])
  }
  const [base] = names.map((name) => measured[name])
  return names.map((by) => ({
    command,
    sidecar,
    by,
    'median ms': round(median(measured[by].times), 3),
    'CPU µs': round(median(measured[by].cpu)),
    'time beside fetch': round(median(measured[by].times) / median(base.times), 2),
    'CPU beside fetch': round(median(measured[by].cpu) / median(base.cpu), 2),
  }))
}
