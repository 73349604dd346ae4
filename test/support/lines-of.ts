/** The lines of an answer as they come. */
export async function* linesOf({ body }: Response): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
