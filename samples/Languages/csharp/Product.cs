using System;
using System.Collections.Generic;
using System.Runtime.Serialization;

namespace Languages;

/// <summary>A product as bytes: an array of MessagePack whose elements stand in the order that all languages have agreed on.</summary>
[DataContract]
public sealed class Product
{
    [DataMember(Order = 0)]
    public long Id { get; set; }

    [DataMember(Order = 1)]
    public string Name { get; set; } = "";

    [DataMember(Order = 2)]
    public double Price { get; set; }

    [DataMember(Order = 3)]
    public byte[]? Picture { get; set; }

    [DataMember(Order = 4)]
    public string? Note { get; set; }

    [DataMember(Order = 5)]
    public Dictionary<string, long> Stock { get; set; } = [];

    [DataMember(Order = 6)]
    public List<string> Tags { get; set; } = [];

    [DataMember(Order = 7)]
    public DateTime Changed { get; set; } // in UTC, to a ten-millionth of a second
}
