using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Collections.Specialized;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Text.Json.Nodes;
using System.Web;
using Pile.Codecs;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>The framework's own types that no program can name, behind its public ones, in a pile that was opened anew.</summary>
public sealed class FrameworkKinTests : IDisposable
{
    private static readonly PileOptions _options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20 };

    /// <summary>What is put, what is shown to the pile that reads it, and what it is told by.</summary>
    private static readonly Dictionary<string, (Func<object> Make, Type? Shown, Func<object, string> Tell)> _values = new()
    {
        ["exception with data"] = (static () => Failed(7), null, static got => TextOf(((Exception)got).Data)),
        ["exception whose data was looked at"] = (static () => Failed(null), null, static got => TextOf(((Exception)got).Data)),
        ["keys of an exception's data"] = (static () => Failed(7).Data.Keys, null, static got => TextOf((IEnumerable)got)),
        ["job with a failure"] = (static () => new Job { Error = Failed(7) }, typeof(Job), static got => TextOf(((Job)got).Error!.Data)),
        ["groups"] = (static () => new[] { 1, 2, 3 }.GroupBy(static number => number % 2).ToList(), null, static got => string.Join(';', ((List<IGrouping<int, int>>)got).Select(static group => $"{group.Key}:{TextOf(group)}"))),
        ["sorted list"] = (static () => SortedList.Synchronized(new SortedList { ["b"] = 2, ["a"] = 1 }), null, static got => TextOf(((SortedList)got).GetKeyList()) + ((SortedList)got)["b"]),
        ["synchronized list"] = (static () => ArrayList.Synchronized(new ArrayList { 1, 2 }), null, static got => TextOf((ArrayList)got)),
        ["named values"] = (static () => new NameValueCollection { { "a", "b" } }, typeof(NameValueCollection), static got => ((NameValueCollection)got)["a"]!),
        ["query"] = (static () => HttpUtility.ParseQueryString("a=1&b=2"), HttpUtility.ParseQueryString("").GetType(), static got => got.ToString()!),
        ["list of pairs"] = (static () => new ListDictionary { ["a"] = 1 }, typeof(ListDictionary), static got => TextOf((IDictionary)got)),
        ["random"] = (static () => new Random(5), typeof(Random), static got => Next((Random)got)),
    };

    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<string> Values => [.. _values.Keys];

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Values))]
    public void WhatATypeOfTheFrameworkLeadsToIsKnownWithIt(string what)
    {
        (Func<object> make, Type? shown, Func<object, string> tell) = _values[what];
        PilePointer pointer = Put(make());
        foreach (bool isClosed in new[] { false, true })
        {
            using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
            _ = shown is null ? null : pile.Types.Add(shown);
            if (isClosed)
            {
                pile.Types.Close();
            }

            object got = pile.Get<object[]>(pointer)[0];
            Assert.Equal(tell(make()), tell(got));
            Assert.Equal(tell(got), tell(pile.Get<object[]>(pile.Put(new[] { got }))[0]));
        }
    }

    [Theory]
    [InlineData("query", "pile.Types.AddAssemblyOf<T>(), where T is a public type of System.Web.HttpUtility")]
    [InlineData("random", "pile.Types.Add<System.Random>(), or, where the program can't name it, pile.Types.AddAssemblyOf<object>()")]
    public void ALineIsToldThatAProgramCanWrite(string what, string line)
    {
        PilePointer pointer = Put(_values[what].Make());
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        string message = Assert.Throws<PileUnknownTypeException>(() => pile.Get<object[]>(pointer)).Message;
        Assert.Contains($" {line}. ", message, StringComparison.Ordinal);
    }

    /// <summary>Its values are in a map of objects, and of a type that is public, but not among what a program refers to.</summary>
    [Fact]
    public void WhatIsOnlyInAnObjectOfTheFrameworkIsAddedByTheLineThatIsTold()
    {
        PilePointer pointer = Put(Cookies());
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        pile.Types.Add<CookieContainer>();
        string message = Assert.Throws<PileUnknownTypeException>(() => pile.Get<object[]>(pointer)).Message;
        Assert.Contains(
            " pile.Types.Add<System.Net.PathList>(), or, where the program can't name it, pile.Types.AddAssemblyOf<T>(), where T is a public type of System.Net.Primitives. ", message, StringComparison.Ordinal);
        pile.Types.AddAssemblyOf<Cookie>();
        Assert.Equal(1, Assert.IsType<CookieContainer>(pile.Get<object[]>(pointer)[0]).Count);
    }

    [Theory]
    [InlineData("System.Collections.Specialized.NameObjectCollectionBase+NameObjectEntry", "<T>(), where T is a public type of System.Collections.Specialized", false)]
    [InlineData("System.Random+XoshiroImpl", "<object>()", false)]
    [InlineData("System.Collections.ListDictionaryInternal", "<object>()", true)]
    [InlineData("System.Linq.Grouping`2", "<T>(), where T is a public type of System.Linq", false)]
    [InlineData("System.Linq.IGrouping`2", "<T>(), where T is a public type of System.Linq", true)]
    [InlineData("System.String[]", null, false)]
    [InlineData("System.Nothing", null, false)]
    [InlineData("", null, false)]
    [InlineData("+", null, false)]
    [InlineData("System.Random+", null, false)]
    [InlineData(".System..Random", null, false)]
    [InlineData("`", null, false)]
    public void ATypeOfTheFrameworkIsAddedByAPublicOneBesideIt(string name, string? beside, bool isPublic)
    {
        Assert.Equal(beside is null ? null : $"pile.Types.AddAssemblyOf{beside}", FrameworkKin.LineBeside(name, out bool was));
        Assert.Equal(isPublic, was);
    }

    /// <summary>No type of a program comes with those that are shown, and none that comes has a finalizer.</summary>
    [Fact]
    public void OnlyTheFrameworksOwnComesAndNothingThatDoesSomething()
    {
        Dictionary<string, Type> kin = [];
        FrameworkKin.AddTo(kin, new Stack<Type>([typeof(NameValueCollection), typeof(JsonNode), typeof(List<Job>), typeof(IGrouping<Job, Job>), typeof(KeyedCollection<int, Job>), typeof(CookieContainer), typeof(System.Net.Sockets.Socket)]));
        Assert.Contains("System.Collections.Specialized.NameObjectCollectionBase+NameObjectEntry", kin.Keys);
        Assert.All(kin.Values, static type =>
        {
            Assert.True(TypeName.IsFramework(type) && !type.IsConstructedGenericType, type.FullName);
            Assert.True(!type.IsClass || type.GetMethod("Finalize", BindingFlags.Instance | BindingFlags.NonPublic)!.DeclaringType == typeof(object), type.FullName);
        });
    }

    private PilePointer Put(object value)
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, _options);
        return pile.Put(new[] { value });
    }

    private static InvalidOperationException Failed(int? order)
    {
        var failure = new InvalidOperationException("failed");
        _ = failure.Data.Count;
        if (order is not null)
        {
            failure.Data["OrderId"] = order;
        }

        return failure;
    }

    private static CookieContainer Cookies()
    {
        var cookies = new CookieContainer();
        cookies.Add(new Uri("http://a.b"), new Cookie("a", "b"));
        return cookies;
    }

    private static string Next(Random random)
    {
        // Its state goes on with each number: that of a copy is looked at.
        using ObjectPile pile = ObjectPile.Create();
        return pile.Get<Random>(pile.Put(random)).Next().ToString(CultureInfo.InvariantCulture);
    }

    private static string TextOf(IEnumerable items) => string.Join(',', items.Cast<object>().Select(static item => item is DictionaryEntry pair ? $"{pair.Key}={pair.Value}" : $"{item}"));

    private sealed class Job
    {
        public Exception? Error { get; set; }
    }
}
