import { get } from 'node:http'

const MAX_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 2_000

export type FetchText = (url: string) => Promise<string | undefined>

/** Reads a file of the gateway: nothing if it isn't there, is too large or takes too long. */
export const fetchText: FetchText = (url) =>
  new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) return end(undefined)
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
        if (size > MAX_BYTES) end(undefined)
      })
      response.on('end', () => end(Buffer.concat(chunks).toString()))
      response.on('error', () => end(undefined))
    })
    const timer = setTimeout(() => end(undefined), TIMEOUT_MS)
    const end = (text: string | undefined): void => {
      clearTimeout(timer)
      request.destroy()
      resolve(text)
    }
    request.on('error', () => end(undefined))
  })
