/** Everybody whose part was fitted, before and after. */
import { scoreText } from '../join/scores.ts';
import { Card } from '../shared/card.tsx';
import { count } from '../shared/format.ts';
import { type Column, Table } from '../shared/table.tsx';
import type { Personalised, PersonalisedPerson } from './fit.ts';

interface PeopleProps {
  readonly result: Personalised;
  readonly chosen: string;
  onChoose(id: string): void;
}

export function PeopleCard({ result, onChoose }: PeopleProps) {
  const { people, metric, testRows } = result;
  const columns: Column<PersonalisedPerson>[] = [
    { key: 'id', label: 'Person', cell: ({ id }) => id },
    { key: 'part', label: 'Part', cell: ({ part }) => part },
    { key: 'rows', label: 'Rows', align: 'end', cell: ({ rows }) => count(rows) },
    ...(testRows > 0
      ? [
          {
            key: 'before',
            label: 'Before',
            align: 'end' as const,
            cell: (one: PersonalisedPerson) => scoreText(metric, one.shared),
          },
          {
            key: 'after',
            label: 'After',
            align: 'end' as const,
            cell: (one: PersonalisedPerson) => scoreText(metric, one.own),
          },
        ]
      : []),
  ];
  return (
    <Card title="Person by person" flush>
      <Table
        label="People"
        columns={columns}
        rows={people}
        keyOf={({ id }) => id}
        onOpen={({ id }) => onChoose(id)}
        maxHeight="320px"
        minWidth="420px"
      />
    </Card>
  );
}
