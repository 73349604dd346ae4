import { errorOfAnswer } from '../connection/answer.js'
import { urlOf } from '../connection/attempt.js'
import type { Endpoint } from '../connection/endpoint.js'
import { requestInit, type HttpResponse, type SendHttp } from '../connection/exchange.js'
import { checkLength, SidecarError, toSidecarError } from '../runtime/errors.js'
import { createLineSplitter } from './lines.js'
import { readMessage, signalIn, WATCH, type OpenWatch } from './message.js'

/** The most characters that are read of an answer that isn't a watch. */
const MOST_OF_REFUSAL = 4096

/**
 * One watch over one HTTP answer, a JSON object a line.
 * @param limit characters of a line
 */
export function createStreamWatch(http: SendHttp, endpoint: Endpoint, limit: number): OpenWatch {
  return async (scope, listener) => {
    let refused = false
    try {
      const response = await http(scope, urlOf(endpoint, WATCH), requestInit('GET'))
      if (response.status < 300) listener.onOpen()
      refused = response.status !== 200 || /html/.test(response.header('Content-Type') || '')
      if (refused) throw await refusalIn(response)
      const split = createLineSplitter(
        (line) => checkLength(line, limit, 'message'),
        (line) => readMessage(line, listener),
      )
      await response.read(split)
      throw new SidecarError('UNAVAILABLE', 'The watch ended', { hint: endpoint.hint() })
    } catch (cause) {
      scope.throwIfEnded()
      const reason = toSidecarError(cause, 'UNAVAILABLE', `No answer from ${endpoint.baseUrl}`, endpoint.hint())
      const [, signal] = /: The gateway is stopping \((\w+)\)$/.exec(reason.summary) ?? []
      return { reason, refused, signal: reason.code === 'UNAVAILABLE' ? signalIn(signal) : undefined }
    }
  }
}

/** Reads the error that came instead of a watch. */
async function refusalIn(response: HttpResponse): Promise<SidecarError> {
  let text = ''
  const read = (): SidecarError => errorOfAnswer(response.status, text)
  await response.read((piece) => {
    text += piece
    if (text.length > MOST_OF_REFUSAL) throw read()
  })
  return read()
}
