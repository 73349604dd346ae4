import ts from 'typescript'

/**
 * One way to declare things in the client, where the sources have three: `let`, also for constants and for functions,
 * which become arrows, at the top of their block if they are in one. The compressor finds the same words again and again.
 */
export const uniformDeclarations = (context) => (file) => {
  // Elsewhere a function may be what `new` is for.
  if (!/\/src\/(client|health|protocol|watch)\//.test(file.fileName)) return file
  const { factory } = context
  const letOf = (declarations) => factory.createVariableDeclarationList(declarations, ts.NodeFlags.Let)
  const isFunction = (node) => ts.isFunctionDeclaration(node) && node.body !== undefined && !needsFunction(node)

  const arrowOf = (node) => {
    const ofKind = (kind) => node.modifiers?.filter((modifier) => modifier.kind === kind)
    const arrow = factory.createArrowFunction(
      ofKind(ts.SyntaxKind.AsyncKeyword),
      undefined,
      node.parameters,
      undefined,
      undefined,
      node.body,
    )
    const declaration = factory.createVariableDeclaration(node.name, undefined, undefined, arrow)
    const statement = factory.createVariableStatement(ofKind(ts.SyntaxKind.ExportKeyword), letOf([declaration]))
    return ts.setTextRange(statement, node)
  }
  const functionsFirst = (statements) => [
    ...statements.filter(isFunction).map(arrowOf),
    ...statements.filter((statement) => !isFunction(statement)),
  ]
  const visit = (node) => {
    const visited = ts.visitEachChild(node, visit, context)
    if (ts.isVariableDeclarationList(visited)) return ts.setTextRange(letOf(visited.declarations), visited)
    if (ts.isBlock(visited)) return factory.updateBlock(visited, functionsFirst(visited.statements))
    return visited
  }
  const visited = ts.visitNode(file, visit)
  return factory.updateSourceFile(
    visited,
    visited.statements.map((node) => (isFunction(node) ? arrowOf(node) : node)),
  )
}

/** What an arrow can't be. */
function needsFunction(node) {
  const isOwn = (inner) =>
    inner.kind === ts.SyntaxKind.ThisKeyword || (ts.isIdentifier(inner) && inner.text === 'arguments')
  const holds = (inner) => isOwn(inner) || ts.forEachChild(inner, holds) === true
  return node.asteriskToken !== undefined || holds(node)
}
