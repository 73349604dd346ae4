import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { FleetAction, WebhookAnswer } from '../../platform/fleet.js'

/** The platform's own limit. */
const TIMEOUT_MS = 15_000
const LONGEST_ANSWER = 2 ** 20
/** The port of a Service that names none. */
const PORT = 8000

/**
 * Asks the webhook of an autoscaler. A Service is asked on this machine, at its port: here no name of a cluster leads
 * anywhere.
 */
export async function askWebhook(
  { webhook, review }: Extract<FleetAction, { type: 'review' }>,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const { url, service, caBundle } = webhook
  const { name = '', namespace, path, port } = service ?? {}
  const target = new URL(url ?? `${caBundle ? 'https' : 'http'}://127.0.0.1:${port ?? PORT}`)
  if (path) target.pathname = path
  const isSecure = target.protocol === 'https:'
  const tls = {
    ...(caBundle ? { ca: Buffer.from(caBundle, 'base64') } : {}),
    ...(url ? {} : { servername: `${name}.${namespace || 'default'}.svc` }),
  }
  try {
    return await new Promise<WebhookAnswer>((resolve, reject) => {
      const options = {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(review) },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        ...(isSecure && tls),
      }
      const request = (isSecure ? httpsRequest : httpRequest)(target, options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('error', reject)
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > LONGEST_ANSWER) request.destroy(new Error('its answer is longer than 1 MiB'))
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      request.on('error', reject).end(review)
    })
  } catch (error) {
    const { name, message } = error as Error
    if (signal.aborted) return `at ${target.href} has not answered before the Fleet was closed`
    return name === 'TimeoutError' || name === 'AbortError'
      ? `at ${target.href} has not answered within ${TIMEOUT_MS / 1000} s`
      : `can't be asked at ${target.href}: ${message}`
  }
}
