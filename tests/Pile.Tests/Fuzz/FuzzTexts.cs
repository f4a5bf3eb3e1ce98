using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.Json;
using static Pile.Tests.Codecs.ContractTypes;

namespace Pile.Tests.Fuzz;

/// <summary>Gives changed bytes to the codec of contracts, and to those who read pointers from text and JSON.</summary>
internal sealed class FuzzTexts : FuzzTarget
{
    private static readonly PileContractCodec<Order> _orders = new();
    private static readonly PileContractCodec<Holder<Dictionary<string, int>?>> _maps = new();
    private static readonly PileContractCodec<Holder<DateTimeOffset>> _times = new();
    private static readonly PileContractCodec<Holder<decimal>> _numbers = new();
    private readonly byte[][] _inputs =
    [
        Bytes(_orders, new Order { Number = 5, Name = "N", Lines = [new Line { Article = "a", Price = 1.5m }, new Line { Article = "b" }] }),
        Bytes(_maps, new Holder<Dictionary<string, int>?> { Value = new() { ["a"] = 1, ["b"] = 2 } }),
        Bytes(_times, new Holder<DateTimeOffset> { Value = new DateTimeOffset(2024, 1, 1, 1, 0, 0, TimeSpan.FromMinutes(4)) }),
        Bytes(_numbers, new Holder<decimal> { Value = -0.10m }),
        "42.7@1"u8.ToArray(),
        "\"4294967295.16777215@255\""u8.ToArray(),
        "{\"A\":\"42.7@1\",\"B\":[\"1.1@128\",null]}"u8.ToArray(),
    ];

    private sealed record Pointers(PilePointer A, PileRef<string>[]? B, Dictionary<PilePointer, int>? C);

    internal override int Origins => _inputs.Length;

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        byte[] bytes = input.Seeds.Aggregate(_inputs[input.Origin], (bytes, seed) => FuzzBytes.Change(bytes, new Random(seed), _inputs));
        string text = Encoding.UTF8.GetString(bytes);
        Expect<PileException>("order", () => _orders.Read(bytes), shapes);
        Expect<PileException>("map", () => _maps.Read(bytes), shapes);
        Expect<PileException>("time", () => _times.Read(bytes), shapes);
        Expect<PileException>("number", () => _numbers.Read(bytes), shapes);
        Expect<JsonException>("json", () => JsonSerializer.Deserialize<PilePointer>(bytes), shapes);
        Expect<JsonException>("json", () => JsonSerializer.Deserialize<Pointers>(bytes), shapes);
        Expect<FormatException>("parse", () => PilePointer.Parse(text, CultureInfo.InvariantCulture), shapes);
        if (PilePointer.TryParse(text, CultureInfo.InvariantCulture, out PilePointer pointer) != PileRef<string>.TryParse(text, CultureInfo.InvariantCulture, out PileRef<string> reference)
            || pointer != reference.Pointer || (!pointer.IsNull && PilePointer.Parse(pointer.ToString(), CultureInfo.InvariantCulture) != pointer))
        {
            throw new FuzzFoundException($"'{text}' is {pointer} and {reference}");
        }
    }

    private static byte[] Bytes<T>(PileContractCodec<T> codec, T value)
        where T : notnull
    {
        var writer = new ArrayBufferWriter<byte>();
        codec.Write(value, writer);
        return writer.WrittenSpan.ToArray();
    }

    private static void Expect<TException>(string name, Action action, ICollection<string> shapes)
        where TException : Exception
    {
        try
        {
            action();
        }
        catch (TException failure)
        {
            shapes.Add($"{name}: {FuzzShape.Of(failure)}");
        }
        catch (Exception failure)
        {
            throw new FuzzFoundException($"{name}: {FuzzShape.Of(failure)}\n{failure}", failure);
        }
    }
}
