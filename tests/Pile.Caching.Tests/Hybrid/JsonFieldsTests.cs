using System;
using System.Collections.Generic;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Serialization;
using Pile.Caching.Hybrid;
using Xunit;

namespace Pile.Caching.Tests.Hybrid;

/// <summary>Types without public properties are the JSON that System.Text.Json makes of them with IncludeFields, by all of its attributes; others what it makes without.</summary>
public sealed class JsonFieldsTests
{
    private static readonly JsonSerializerOptions _withFields = new() { IncludeFields = true };

    [Fact]
    public void FieldsAreWhatSystemTextJsonMakesOfThemByTheirAttributes()
    {
        AssertIs("""{"Always":0,"Shown":0,"Number":1}""", new Ignored { Never = 1, Read = 2, Number = 1 });
        AssertIs("""{"Text":"a","Digits":1,"Always":2,"Shown":3,"Number":0}""", new Ignored { Text = "a", Digits = 1, Always = 2, Shown = 3 });
        AssertIs("""{"_hidden":1,"Marked":2,"Plain":3}""", new Included(1) { Marked = 2, Plain = 3 });
        AssertIs("""{"Inner":1,"Plain":2}""", new IncludedProperty { Inner = 1, Plain = 2 });
        AssertIs("""{"First":2,"other":1,"Last":3}""", new Named { Second = 1, First = 2, Last = 3 });
        AssertIs("""{"Day":"Friday","Digits":"1","Numbers":[1]}""", new Converted { Day = DayOfWeek.Friday, Digits = 1, Numbers = [1] });
        AssertIs("""{"Value":"NaN"}""", new NotANumber { Value = double.NaN });
        AssertIs("""{"Number":1,"more":2}""", new Extended { Number = 1, Left = 3, More = new() { ["more"] = JsonSerializer.SerializeToElement(2) } });
        AssertIs("""{"Number":1,"Text":"a","Other":2}""", new Constructed(1, "a") { Other = 2 });
        AssertIs("""{"n":1,"Text":"a"}""", new ConstructedByOtherName(1, "a"));
        AssertIs("""{"Number":1,"Text":"a"}""", new ConstructedStruct(1, "a"));
        AssertIs("""{"Text":"a","Number":"b","Other":1}""", new Derived { Number = "b", Other = 1, Text = "a" });
        AssertIs("""{"Number":1,"Other":2,"Text":"a"}""", new Base { Number = 1, Other = 2, Text = "a" });
        AssertIs("""{"Marked":"a"}""", new Hiding { Marked = "a" });
        AssertIs<Kind>("""{"$type":"one","Other":2,"Number":1}""", new One { Number = 1, Other = 2 });
        AssertIs("""{"Item1":1,"Item2":{"Item1":"a","Item2":2}}""", (1, ("a", 2)));
        AssertIs("""{"X":1,"Y":2,"Z":3}""", new Vector3(1, 2, 3));
        AssertIs("""[{"Marked":"a"}]""", new List<Hiding> { new() { Marked = "a" } });
    }

    [Fact]
    public void FieldsAreReadAsSystemTextJsonReadsThem()
    {
        AssertReads<Ignored>("""{"Text":"a","Digits":1,"Always":2,"Never":3,"Read":4,"Shown":5,"Number":6}""");
        AssertReads<Extended>("""{"Number":1,"Left":2,"more":3}""");
        AssertReads<Filled>("""{"Numbers":[4]}""");
        AssertIs("""{"First":1,"Second":2}""", new Required { First = 1, Second = 2 });
        foreach (string json in (string[])["""{"First":1}""", """{"Second":1}""", "{}"])
        {
            string expected = Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<Required>(json, _withFields)).Message;
            Assert.Equal(expected, Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<Required>(json, JsonFields.Options)).Message);
        }
    }

    /// <summary>System.Text.Json writes them and leaves them out when it reads: what a value has would be gone.</summary>
    [Fact]
    public void ReadOnlyFieldsAreReadToo()
    {
        string json = JsonSerializer.Serialize(new ReadOnly(1, "a", 2), JsonFields.Options);
        Assert.Equal("""{"Number":1,"Text":"a","Written":2}""", json);
        Assert.Equal(new ReadOnly(1, "a", 0), JsonSerializer.Deserialize<ReadOnly>(json, JsonFields.Options));
    }

    [Fact]
    public void TypesWithPublicPropertiesAreWhatTheyAreWithoutFields()
    {
        var holder = new Holder { Name = "a", Pair = (1, "b"), Field = 3, Marked = 4 };
        Assert.Equal("""{"Name":"a","Pair":{"Item1":1,"Item2":"b"},"Marked":4}""", JsonSerializer.Serialize(holder, JsonFields.Options));

        // By its name it would be another property's, which is an exception with IncludeFields.
        Assert.Equal("""{"Field":"a"}""", JsonSerializer.Serialize(new Twice { Name = "a", Field = "b" }, JsonFields.Options));
    }

    private static void AssertIs<T>(string json, T value)
    {
        Assert.Equal(json, JsonSerializer.Serialize(value, _withFields));
        Assert.Equal(json, JsonSerializer.Serialize(value, JsonFields.Options));
        AssertReads<T>(json);
    }

    private static void AssertReads<T>(string json) => Assert.Equal(
        JsonSerializer.Serialize(JsonSerializer.Deserialize<T>(json, _withFields), _withFields),
        JsonSerializer.Serialize(JsonSerializer.Deserialize<T>(json, JsonFields.Options), _withFields));

    internal sealed class Ignored
    {
        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
        public string? Text;

        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
        public int Digits;

        [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
        public int Always;

        [JsonIgnore]
        public int Never;

        [JsonIgnore(Condition = JsonIgnoreCondition.WhenWriting)]
        public int Read;

        [JsonIgnore(Condition = JsonIgnoreCondition.WhenReading)]
        public int Shown;

        public int Number;
    }

    internal sealed class Included
    {
        [JsonInclude]
        private int _hidden;

        [JsonInclude]
        public int Marked;

        public int Plain;

        public Included()
        {
        }

        internal Included(int hidden) => _hidden = hidden;

        internal int Next() => ++_hidden;
    }

    internal sealed class IncludedProperty
    {
        public int Plain;

        [JsonInclude]
        internal int Inner { get; set; }
    }

    internal sealed class Named
    {
        [JsonPropertyName("other")]
        public int Second;

        [JsonPropertyOrder(-1)]
        public int First;

        public int Last;
    }

    internal sealed class Converted
    {
        [JsonConverter(typeof(JsonStringEnumConverter))]
        public DayOfWeek Day;

        [JsonNumberHandling(JsonNumberHandling.WriteAsString | JsonNumberHandling.AllowReadingFromString)]
        public int Digits;

        public int[]? Numbers;
    }

    [JsonNumberHandling(JsonNumberHandling.AllowNamedFloatingPointLiterals)]
    internal sealed class NotANumber
    {
        public double Value;
    }

    internal sealed class Extended
    {
        public int Number;

        [JsonIgnore]
        public int Left;

        [JsonExtensionData]
        public Dictionary<string, JsonElement>? More;
    }

    internal sealed class Constructed(int number, string text)
    {
        public readonly int Number = number;
        public readonly string Text = text;
        public int Other;
    }

    internal sealed class ConstructedByOtherName(int number, string text)
    {
        [JsonPropertyName("n")]
        public readonly int Number = number;

        public readonly string Text = text;
    }

    [method: JsonConstructor]
    internal readonly struct ConstructedStruct(int number, string text)
    {
        public readonly int Number = number;
        public readonly string Text = text;
    }

    internal class Base
    {
        public int Number;
        public int Other;
        public string? Text;
    }

    internal sealed class Derived : Base
    {
        [JsonPropertyOrder(-1)]
        public new string? Text;

        public new string? Number;
    }

    internal class Marks
    {
        [JsonInclude]
        public int Marked = 4;
    }

    internal sealed class Hiding : Marks
    {
        public new string? Marked;
    }

    [JsonDerivedType(typeof(One), "one")]
    internal class Kind
    {
        public int Number;
    }

    internal sealed class One : Kind
    {
        public int Other;
    }

    internal readonly struct ReadOnly(int number, string text, int written)
    {
        public readonly int Number = number;

        [JsonInclude]
        public readonly string Text = text;

        [JsonIgnore(Condition = JsonIgnoreCondition.WhenReading)]
        public readonly int Written = written;
    }

    internal sealed class Filled
    {
        [JsonObjectCreationHandling(JsonObjectCreationHandling.Populate)]
        public readonly List<int> Numbers = [1];
    }

    internal sealed class Required
    {
        [JsonRequired]
        public int First;

        public required int Second;
    }

    internal sealed class Holder
    {
        public int Field;

        [JsonInclude]
        public int Marked;

        public string? Name { get; set; }

        public (int, string) Pair { get; set; }
    }

    internal sealed class Twice
    {
        public string? Field;

        [JsonPropertyName("Field")]
        public string? Name { get; set; }
    }
}
