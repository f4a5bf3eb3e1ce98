using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Languages;

namespace Pile.Programs.Tests.Languages;

/// <summary>A product with its numbers as text, so that JSON changes none of them: integers in decimal, the price as the bits of its float, the
/// moment as seconds and nanoseconds since 1970.</summary>
internal sealed record ProductLine(string Id, string Name, string Price, string? Picture, string? Note, SortedDictionary<string, string> Stock, string[] Tags, string Changed)
{
    internal static ProductLine Of(Product product)
    {
        byte[] price = new byte[sizeof(double)];
        BinaryPrimitives.WriteDoubleBigEndian(price, product.Price);
        var stock = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach ((string place, long count) in product.Stock)
        {
            stock.Add(place, count.ToString(CultureInfo.InvariantCulture));
        }

        string changed = string.Create(CultureInfo.InvariantCulture, $"{new DateTimeOffset(product.Changed).ToUnixTimeSeconds()}.{product.Changed.Ticks % TimeSpan.TicksPerSecond:d7}00");
        return new ProductLine(
            product.Id.ToString(CultureInfo.InvariantCulture),
            product.Name,
            Convert.ToHexStringLower(price),
            product.Picture is { } picture ? Convert.ToHexStringLower(picture) : null,
            product.Note,
            stock,
            [.. product.Tags],
            changed);
    }

    /// <summary>All of it, for comparing.</summary>
    internal string Whole() => string.Join('|', Id, Name, Price, Picture ?? "null", Note ?? "null", string.Join(',', Stock.Select(static place => $"{place.Key}={place.Value}")), string.Join(',', Tags), Changed);
}
