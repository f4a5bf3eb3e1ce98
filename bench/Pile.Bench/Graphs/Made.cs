using System;
using System.Collections.Generic;
using System.Globalization;

namespace Pile.Bench.Graphs;

/// <summary>Objects to write, fresh each time and the same in every run: strings and all are allocated anew.</summary>
internal static class Made
{
    private const int LinesOfAnInvoice = 10;
    private const int MinutesOfThirtyYears = 30 * 365 * 24 * 60;
    private static readonly string[] _names = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Tony Hoare", "Donald Knuth", "Leslie Lamport"];
    private static readonly string[] _cities = ["London", "Wilmslow", "New York", "Nuenen", "Boston", "Oxford", "Stanford", "Palo Alto"];
    private static readonly string[] _streets = ["12 St James's Square", "Adlington Road 43", "5 Park Avenue", "Broekdijk 7"];
    private static readonly DateTime _first = new(1990, 1, 1, 8, 0, 0, DateTimeKind.Utc);

    internal static Person Person(int index) => new()
    {
        Name = New(_names[index % _names.Length]),
        City = New(_cities[(index / 3) % _cities.Length]),
        Born = _first.AddMinutes(index * 7919L % MinutesOfThirtyYears),
        Id = Identifier(index),
        Balance = ((index * 7919L) % 1_000_000) / 100m,
        Level = (index * 31) % 1000,
        IsActive = (index & 1) == 0,
    };

    internal static Invoice Invoice(int index)
    {
        var customer = new Customer
        {
            Number = 10_000 + (index % 90_000),
            Name = New(_names[index % _names.Length]),
            Street = New(_streets[index % _streets.Length]),
            City = New(_cities[index % _cities.Length]),
            Country = New("United Kingdom"),
        };
        var lines = new List<InvoiceLine>(LinesOfAnInvoice);
        for (int line = 0; line < LinesOfAnInvoice; line++)
        {
            lines.Add(new InvoiceLine
            {
                Article = string.Create(CultureInfo.InvariantCulture, $"SKU-{(index * 13) + line:D6}"),
                Quantity = 1 + ((index + line) % 200),
                Price = (((index * 131L) + (line * 977)) % 100_000) / 100m,
            });
        }

        return new Invoice
        {
            Id = Identifier(index),
            Number = string.Create(CultureInfo.InvariantCulture, $"2026-{index:D6}"),
            Issued = _first.AddMinutes(index * 7919L % MinutesOfThirtyYears),
            BillTo = customer,
            ShipTo = customer,
            Lines = lines,
            IsPaid = (index & 1) == 0,
        };
    }

    /// <summary>A copy made by hand, which is what reading can't do without.</summary>
    internal static Person Copy(Person person) => new()
    {
        Name = New(person.Name),
        City = New(person.City),
        Born = person.Born,
        Id = person.Id,
        Balance = person.Balance,
        Level = person.Level,
        IsActive = person.IsActive,
    };

    /// <inheritdoc cref="Copy(Person)"/>
    internal static Invoice Copy(Invoice invoice)
    {
        Customer from = invoice.BillTo!;
        var customer = new Customer { Number = from.Number, Name = New(from.Name), Street = New(from.Street), City = New(from.City), Country = New(from.Country) };
        var lines = new List<InvoiceLine>(invoice.Lines.Count);
        foreach (InvoiceLine line in invoice.Lines)
        {
            lines.Add(new InvoiceLine { Article = New(line.Article), Quantity = line.Quantity, Price = line.Price });
        }

        Invoice copy = Empty<Invoice>();
        (copy.Id, copy.Number, copy.Issued, copy.BillTo, copy.ShipTo, copy.Lines, copy.IsPaid) =
            (invoice.Id, New(invoice.Number), invoice.Issued, customer, customer, lines, invoice.IsPaid);
        return copy;
    }

    /// <summary>A linked list, and its nodes in a flat one.</summary>
    internal static List<Node> Nodes(int count)
    {
        var nodes = new List<Node>(count);
        for (int index = 0; index < count; index++)
        {
            nodes.Add(new Node { Value = index * 7 });
            if (index > 0)
            {
                nodes[index - 1].Next = nodes[index];
            }
        }

        return nodes;
    }

    /// <summary>A linked list alone.</summary>
    internal static Node Chain(int count)
    {
        var first = new Node();
        Node last = first;
        for (int index = 1; index < count; index++)
        {
            last = last.Next = new Node { Value = index * 7 };
        }

        return first;
    }

    // Without its field initializers, which would make a list that is thrown away.
    private static T Empty<T>() => (T)System.Runtime.CompilerServices.RuntimeHelpers.GetUninitializedObject(typeof(T));

    private static string New(string text) => new(text.AsSpan());

    // Bytes as random as a Guid's, made quickly: the golden ratio's multiples, well mixed.
    private static Guid Identifier(int index)
    {
        ulong low = unchecked((ulong)(index + 1) * 0x9e37_79b9_7f4a_7c15);
        ulong high = unchecked((low ^ (low >> 29)) * 0xbf58_476d_1ce4_e5b9);
        return new Guid((uint)low, (ushort)(low >> 32), (ushort)(low >> 48), (byte)high, (byte)(high >> 8), (byte)(high >> 16), (byte)(high >> 24), (byte)(high >> 32), (byte)(high >> 40), (byte)(high >> 48), (byte)(high >> 56));
    }
}
