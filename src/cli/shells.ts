/** Completion scripts for three shells, from one description of the commands. */

export interface OptionSpec {
  /** --test-fraction */
  readonly flag: string;
  readonly about: string;
  readonly takes: 'value' | 'nothing';
  /** Values to choose from; none: names of files are offered. */
  readonly values: readonly string[];
}

export interface CommandSpec {
  /** ["train"], or ["data", "make"]. */
  readonly words: readonly string[];
  readonly about: string;
  readonly options: readonly OptionSpec[];
}

export function bashCompletion(commands: readonly CommandSpec[]): string {
  const values = commands.flatMap(({ words, options }) =>
    options
      .filter((option) => option.values.length > 0)
      .map((option) => `    '${words.join(' ')} ${option.flag}') words='${option.values.join(' ')}' ;;`),
  );
  const flags = commands.map(
    ({ words, options }) =>
      `      '${words.join(' ')}') words='${options.map(({ flag }) => flag).join(' ')}' ;;`,
  );
  const groups = groupsOf(commands).map(
    ([group, inner]) => `      '${group}') [[ $COMP_CWORD -eq 2 ]] && words='${inner.join(' ')}' ;;`,
  );
  return `# Completion of kindred for bash, written by: kindred completion bash
_kindred() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words='' command=\${COMP_WORDS[1]}
  COMPREPLY=()
  case "$command" in
    ${groupsOf(commands)
      .map(([group]) => group)
      .join('|')}) [[ $COMP_CWORD -gt 2 ]] && command="$command \${COMP_WORDS[2]}" ;;
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then
    words='${topLevel(commands).join(' ')}'
  elif [[ $current == -* ]]; then
    case "$command" in
${flags.join('\n')}
    esac
  else
    case "$command $previous" in
${values.join('\n')}
    esac
    case "$command" in
${groups.join('\n')}
    esac
  fi
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _kindred kindred
`;
}

export function zshCompletion(commands: readonly CommandSpec[]): string {
  const cases = commands.map(({ words, options }) => {
    const specs = options.map(({ flag, about, takes, values }) => {
      const argument =
        takes === 'nothing' ? '' : values.length > 0 ? `:value:(${values.join(' ')})` : ':value:_files';
      return `        ${zshQuoted(`${flag}[${about.replace(/[[\]\\:]/g, '\\$&')}]${argument}`)}`;
    });
    return `    '${words.join(' ')}')\n      _arguments \\\n${specs.join(' \\\n')} \\\n        '*:file:_files' ;;`;
  });
  const groups = groupsOf(commands).map(
    ([group, inner]) =>
      `  if [[ $words[2] == ${group} ]]; then\n    (( CURRENT == 3 )) && { compadd ${inner.join(' ')}; return }\n    command="${group} $words[3]"\n  fi`,
  );
  const described = topLevel(commands).map(
    (name) => `    ${zshQuoted(`${name}:${aboutOf(commands, name)}`)}`,
  );
  return `#compdef kindred
# Completion of kindred for zsh, written by: kindred completion zsh
_kindred() {
  local command=$words[2]
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
${groups.join('\n')}
  case $command in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _kindred ]]; then _kindred "$@"; else compdef _kindred kindred; fi
`;
}

export function fishCompletion(commands: readonly CommandSpec[]): string {
  const lines = ['# Completion of kindred for fish, written by: kindred completion fish'];
  for (const name of topLevel(commands))
    lines.push(
      `complete -c kindred -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(aboutOf(commands, name))}`,
    );
  for (const [group, inner] of groupsOf(commands)) {
    const condition = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${inner.join(' ')}`;
    lines.push(`complete -c kindred -n ${fishQuoted(condition)} -f -a ${fishQuoted(inner.join(' '))}`);
  }
  for (const { words, options } of commands) {
    const condition = fishQuoted(words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and '));
    for (const { flag, about, takes, values } of options) {
      const argument =
        takes === 'nothing' ? '' : values.length > 0 ? ` -x -a ${fishQuoted(values.join(' '))}` : ' -r';
      lines.push(
        `complete -c kindred -n ${condition} -l ${flag.replace(/^--/, '')}${argument} -d ${fishQuoted(about)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function topLevel(commands: readonly CommandSpec[]): string[] {
  return [...new Set(commands.map(({ words }) => words[0]))];
}

/** Commands that only hold others: data, with make, fetch and describe. */
function groupsOf(commands: readonly CommandSpec[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const { words } of commands)
    if (words.length > 1) groups.set(words[0], [...(groups.get(words[0]) ?? []), words[1]]);
  return [...groups];
}

function aboutOf(commands: readonly CommandSpec[], name: string): string {
  const own = commands.find(({ words }) => words.length === 1 && words[0] === name);
  const inner = commands.filter(({ words }) => words[0] === name).map(({ words }) => words[1]);
  return own?.about ?? inner.join(', ');
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
